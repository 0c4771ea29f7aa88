import type { Document } from '../../contract/documents.ts'
import { formatOf } from '../../core/formats.ts'
import { pageWord } from '../../core/location.ts'
import { Form } from '../form.tsx'
import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress, type SearchFields, SEARCH_FIELDS } from '../search/fields.ts'
import { AboutDocument, type MailLinks } from './about.tsx'
import { OriginalPageView, ViewTabs, type OriginalPage } from './original-page.tsx'
import { PageStrip, type StripCell, ReadingBar, type Citation, type HitLinks } from './reading-bar.tsx'
import { DocumentState, statusBadge } from './state.tsx'
import type { ShownPassage } from '../marked.tsx'
import { Sheets } from './text.tsx'
import type { TextWindow } from './window.ts'
import { capitalized } from '../../core/capitalized.ts'

/** `gone`: the text no longer has the passage that the address names. */
export type PassageState = ShownPassage | 'gone' | null

export interface DocumentProps extends SignedInProps {
  document: Document
  /** Null if no text was extracted yet, or none could be. */
  window: TextWindow | null
  /** Number of the last page with text. */
  lastPage: number
  passage: PassageState
  /** Page of the original to show, from 1. */
  page: number
  /** The page of the original to show next to the text; null for a document without images of pages. */
  original: OriginalPage | null
  /** The search that led here. */
  fields: SearchFields
  /** Words to find in the document; empty if there are none. */
  find: string
  /** Null if the reader looks for nothing. */
  hits: HitLinks | null
  /** Null if no passage is shown. */
  citation: Citation | null
  strip: readonly StripCell[]
  /** The page that the address names, if the document has no such page. */
  missingPage: number | null
  mail?: MailLinks | undefined
  /** True for a writer of the project. */
  canDelete: boolean
  /** False when deletions are for good, so that the user has to confirm them. */
  keepsTrash: boolean
}

/** `/documents/{id}`: the text that was indexed, with the pages of a PDF next to it. */
export function renderDocument(props: DocumentProps): string {
  const { document, window, lastPage, passage, page, original, fields, find, hits, citation, strip } = props
  const { viewer, csrf, hasScript = false, now, glance } = props
  const counted = formatOf(document.media_type)?.countedIn
  const isTable = counted === 'sheets' || counted === 'rows'
  return html(
    <AppPage
      title={shortName(document.name)}
      place={null}
      frame={original !== null ? 'with-original' : isTable ? 'with-tables' : undefined}
      {...{ viewer, csrf, hasScript, now, glance }}
    >
      <main
        id="main"
        class={
          original !== null ? `document with-original shows-${original.shown}` : isTable ? 'document with-tables' : 'document'
        }
        data-live={document.id}
        {...(document.status === 'queued' || document.status === 'processing' ? { 'data-pending': '' } : {})}
      >
        <DocumentHeader {...props} />
        {window === null ? null : (
          <ReadingBar
            document={document}
            page={page}
            lastPage={Math.max(lastPage, original?.count ?? 0)}
            fields={fields}
            find={find}
            hits={hits}
            citation={citation}
          />
        )}
        <PageStrip cells={strip} word={pageWord(document.media_type)} />
        {original === null ? null : <ViewTabs original={original} />}
        <div class="text" id="text">
          {window === null ? null : (
            <>
              <PartLinks
                id={document.id}
                mediaType={document.media_type}
                window={window}
                lastPage={lastPage}
                fields={fields}
                find={find}
                form={original === null}
              />
              <Sheets
                mediaType={document.media_type}
                sheets={window.sheets}
                passage={passage === 'gone' ? null : passage}
                fallbackPage={passage === 'gone' ? page : null}
                numbered={lastPage > 1}
              />
              <PartLinks
                id={document.id}
                mediaType={document.media_type}
                window={window}
                lastPage={lastPage}
                fields={fields}
                find={find}
              />
            </>
          )}
        </div>
        {original === null ? null : <OriginalPageView original={original} />}
      </main>
    </AppPage>,
  )
}

/** What is above the text and the pages: the name, the facts, and what the reader should know about the document or the address. */
function DocumentHeader(props: DocumentProps) {
  const { document, mail, window, lastPage, passage, page, fields, missingPage, canDelete, keepsTrash, csrf, flash } = props
  const badge = statusBadge(document)
  const word = pageWord(document.media_type)
  return (
    <header class="about">
      {window === null && fields.q ? (
        <p class="back">
          <a href={searchAddress(fields)}>
            Results for <bdi>{shortName(fields.q)}</bdi>
          </a>
        </p>
      ) : null}
      <div class="heading">
        <h1>
          <bdi>{document.name}</bdi>
          {badge === null ? null : (
            <>
              {' '}
              <span class={`badge ${badge.tone}`}>{badge.text}</span>
            </>
          )}
        </h1>
        <DocumentActions document={document} page={page} csrf={csrf} canDelete={canDelete} keepsTrash={keepsTrash} />
      </div>
      <AboutDocument document={document} mail={mail} />
      <FlashMessage flash={flash} />
      <DocumentState document={document} hasText={window !== null} />
      {missingPage === null ? null : (
        <p class="notice">
          This document has no {word} {missingPage}. {lastPage > 0 ? `Its last ${word} is ${lastPage}.` : null}
        </p>
      )}
      {passage === 'gone' ? (
        <p class="notice">
          The text of this document has changed since this link was created. The passage may have moved. This is the {word} where
          it was.
        </p>
      ) : null}
    </header>
  )
}

type ActionsProps = Pick<DocumentProps, 'document' | 'page' | 'csrf' | 'canDelete' | 'keepsTrash'>

function DocumentActions({ document, page, csrf, canDelete, keepsTrash }: ActionsProps) {
  return (
    <div class="buttons">
      {opensInBrowser(document) ? (
        <a class="button" href={originalAddress(document, page)}>
          Open original
        </a>
      ) : null}
      <a class="button" href={`${paths.original(document.id)}?download=1`}>
        Download
      </a>
      {canDelete && document.status === 'failed' ? (
        <Form
          action={paths.documentsBatch}
          csrf={csrf}
          hidden={{ action: 'retry', ids: document.id, back: paths.document(document.id) }}
        >
          <button class="primary" type="submit">
            Read again
          </button>
        </Form>
      ) : null}
      {canDelete && <DeleteButton id={document.id} csrf={csrf} keepsTrash={keepsTrash} />}
    </div>
  )
}

/** A deletion that can be undone needs no question. */
function DeleteButton({ id, csrf, keepsTrash }: { id: string; csrf: string; keepsTrash: boolean }) {
  if (keepsTrash)
    return (
      <Form action={paths.documentDelete(id)} csrf={csrf}>
        <button class="danger-quiet" type="submit">
          Delete
        </button>
      </Form>
    )
  return (
    <a class="button danger-quiet" href={paths.documentDelete(id)}>
      Delete
    </a>
  )
}

/** Other types are only offered as downloads, because scripts in them could run in the browser. */
function opensInBrowser({ media_type: type }: Document): boolean {
  const view = formatOf(type)?.originalView
  return view === 'pdf' || view === 'text'
}

function originalAddress(document: Document, page: number): string {
  const { id, media_type: type } = document
  return formatOf(type)?.originalView === 'pdf' ? `${paths.original(id)}#page=${page}` : paths.original(id)
}

interface PartLinksProps {
  id: string
  mediaType: string
  window: TextWindow
  lastPage: number
  fields: SearchFields
  /** Words that the reader looks for in the document; empty if there are none. */
  find: string
  /** Adds a form that goes to any page. */
  form?: boolean
}

/** Links to the previous and the next part of a long document. Shows nothing if the whole document is visible. */
function PartLinks({ id, mediaType, window: { sheets, before, after }, lastPage, fields, find, form }: PartLinksProps) {
  if (before === null && after === null) return null
  const [first, last] = [sheets[0]?.page.number ?? 1, sheets.at(-1)?.page.number ?? 1]
  return (
    <nav class="part-links" aria-label={form === undefined ? 'Parts of the text, bottom' : 'Parts of the text'}>
      {before === null ? null : (
        <a class="button" rel="prev" href={documentAddress(id, before, fields, find)}>
          Previous part
        </a>
      )}
      {form === true && lastPage > 1 ? (
        <form method="get" action={paths.document(id)} class="go">
          {SEARCH_FIELDS.map((name) => (fields[name] ? <input type="hidden" name={name} value={fields[name]} /> : null))}
          {find === '' ? null : <input type="hidden" name="find" value={find} />}
          <label for="page">{capitalized(pageWord(mediaType))}</label>
          <input
            type="text"
            inputmode="numeric"
            pattern="[0-9]*"
            id="page"
            name="page"
            value={String(first)}
            autocomplete="off"
          />
          <span>
            {last > first ? `to ${last} ` : ''}of {lastPage}
          </span>
          <button type="submit">Go</button>
        </form>
      ) : null}
      {after === null ? null : (
        <a class="button" rel="next" href={documentAddress(id, after, fields, find)}>
          Next part
        </a>
      )}
    </nav>
  )
}

/** The address of the part that begins at an offset, with the search that led to the document and the words that the reader looks for. */
function documentAddress(id: string, at: number, fields: SearchFields, find: string): string {
  const query = new URLSearchParams({ at: String(at) })
  if (find !== '') query.set('find', find)
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${paths.document(id)}?${query}#text`
}
