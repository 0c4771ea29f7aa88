import { formatBytes } from '../../core/format-bytes.ts'
import { capitalized } from '../../core/capitalized.ts'
import { formatOf } from '../../core/formats.ts'
import { pagesAre } from '../../core/location.ts'
import type { Document } from '../../contract/documents.ts'
import { Facts, shortTitle, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress } from '../search/fields.ts'

/** The documents that belong to a message, or the message that a document belongs to. */
export interface MailLinks {
  /** Null for a document that is no attachment, or whose message the reader can't see. */
  message: Document | null
  attachments: readonly Document[]
  /** The message has more attachments than the list. */
  hasMore: boolean
}

/** The view names at most this many attachments that did not become documents. */
const MAX_SKIPPED_SHOWN = 10

/** Lists the facts of a document: title, path, project, type, size, and the attachments of a message. */
export function AboutDocument({ document, mail }: { document: Document; mail?: MailLinks | undefined }) {
  const { title, name, path, project, tags, page_count: pages, size_bytes: bytes, created_at: at, health } = document
  const count = pages ?? 0
  const { attachments_skipped: skipped = [], attachments_skipped_count: skippedCount = 0 } = document.parse
  return (
    <Facts
      facts={[
        title === null || title === '' || title === name ? null : ['Title', <bdi>{shortTitle(title)}</bdi>, 'alone'],
        path === name ? null : ['Path', <bdi>{path}</bdi>, 'alone'],
        [
          'Project',
          <a href={searchAddress({ project: project.id })}>
            <bdi>{project.name}</bdi>
          </a>,
        ],
        ['Type', formatOf(document.media_type)?.label ?? document.media_type],
        count > 1 || health.pages_without_text > 0
          ? [capitalized(pagesAre(document.media_type)), pagesText(count, health.pages_without_text)]
          : null,
        mail?.message == null
          ? null
          : [
              'Attached to',
              <a href={`${paths.document(mail.message.id)}?page=${document.parent_page ?? 1}`}>
                <bdi>{shortTitle(mail.message.title ?? mail.message.name)}</bdi>
              </a>,
              'alone',
            ],
        mail === undefined || mail.attachments.length === 0 ? null : ['Attachments', <Attachments {...mail} />, 'alone'],
        skipped.length === 0
          ? null
          : ['Not searchable', <Skipped names={skipped.map(({ name: each }) => each)} count={skippedCount} />, 'alone'],
        ['Size', formatBytes(bytes)],
        ['Added', <Time at={at} />],
        tags.length === 0
          ? null
          : [
              'Tags',
              tags.map((tag, index) => (
                <>
                  {index === 0 ? null : ', '}
                  <bdi>{tag}</bdi>
                </>
              )),
            ],
      ]}
    />
  )
}

function Attachments({ attachments, hasMore }: MailLinks) {
  return (
    <>
      {attachments.map(({ id, name }, index) => (
        <>
          {index === 0 ? null : ', '}
          <a href={paths.document(id)}>
            <bdi>{name}</bdi>
          </a>
        </>
      ))}
      {hasMore ? ' and more' : null}
    </>
  )
}

function Skipped({ names, count }: { names: readonly string[]; count: number }) {
  const shown = names.slice(0, MAX_SKIPPED_SHOWN)
  return (
    <>
      {shown.map((name, index) => (
        <>
          {index === 0 ? null : ', '}
          <bdi>{name}</bdi>
        </>
      ))}
      {count > shown.length ? ` and ${count - shown.length} more` : null}
    </>
  )
}

function pagesText(pages: number, without: number): string {
  return without === 0 ? String(pages) : `${pages}, ${without} without text`
}
