import { formatBytes } from '../../core/format-bytes.ts'
import { capitalized } from '../../core/capitalized.ts'
import { formatOf } from '../../core/formats.ts'
import { pagesAre } from '../../core/location.ts'
import type { Document } from '../../contract/documents.ts'
import { Facts, shortTitle, Time } from '../parts.tsx'
import { searchAddress } from '../search/fields.ts'

/** Lists the facts of a document: title, path, project, type, size. */
export function AboutDocument({ document }: { document: Document }) {
  const { title, name, path, project, tags, page_count: pages, size_bytes: bytes, created_at: at, health } = document
  const count = pages ?? 0
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

function pagesText(pages: number, without: number): string {
  return without === 0 ? String(pages) : `${pages}, ${without} without text`
}
