import type { Document } from '../../contract/documents.ts'
import { formatOf } from '../../core/formats.ts'
import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress, type SearchFields } from '../search/fields.ts'
import { AboutDocument } from './about.tsx'
import { PartLinks } from './part-links.tsx'
import { DocumentState, statusBadge } from './state.tsx'
import { Sheets, type ShownPassage } from './text.tsx'
import type { TextWindow } from './window.ts'

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
  /** The search that led here. */
  fields: SearchFields
}

/** Parameters of the PDF viewers in browsers: hide the list of pages, and fit the page to the width. */
const FRAME_VIEW = '&view=FitH&navpanes=0&pagemode=none'

/** True if the view can show the original next to the text. */
export function hasFrame({ media_type: type }: Pick<Document, 'media_type'>): boolean {
  return formatOf(type)?.originalView === 'pdf'
}

/** `/documents/{id}`: the text that was indexed, with the original of a PDF next to it. */
export function renderDocument({ document, window, lastPage, passage, page, fields, ...signedIn }: DocumentProps): string {
  const badge = statusBadge(document)
  const showsOriginal = hasFrame(document)
  return html(
    <AppPage title={shortName(document.name)} place={null} {...signedIn}>
      <main id="main" class={showsOriginal ? 'document with-original' : 'document'}>
        <header class="about">
          {fields.q ? (
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
            <div class="buttons">
              {opensInBrowser(document) ? (
                <a class="button" href={originalAddress(document, page)}>
                  Open original
                </a>
              ) : null}
              <a class="button" href={`${paths.original(document.id)}?download=1`}>
                Download
              </a>
            </div>
          </div>
          <AboutDocument document={document} />
          <FlashMessage flash={signedIn.flash} />
          <DocumentState document={document} hasText={window !== null} />
          {passage === 'gone' ? (
            <p class="notice">
              The text of this document has changed since this link was created. The passage may have moved. This is the page
              where it was.
            </p>
          ) : null}
        </header>
        <div class="text" id="text">
          {window === null ? null : (
            <>
              <PartLinks id={document.id} window={window} lastPage={lastPage} fields={fields} form />
              <Sheets
                sheets={window.sheets}
                passage={passage === 'gone' ? null : passage}
                fallbackPage={passage === 'gone' ? page : null}
                numbered={lastPage > 1}
              />
              <PartLinks id={document.id} window={window} lastPage={lastPage} fields={fields} />
            </>
          )}
        </div>
        {showsOriginal ? (
          <aside class="original" aria-label="Original">
            <iframe
              src={`${originalAddress(document, page)}${FRAME_VIEW}`}
              title={`Original of ${shortName(document.name)}`}
              loading="lazy"
            />
          </aside>
        ) : null}
      </main>
    </AppPage>,
  )
}

/** Other types are only offered as downloads, because scripts in them could run in the browser. */
function opensInBrowser({ media_type: type }: Document): boolean {
  const view = formatOf(type)?.originalView
  return view === 'pdf' || view === 'text'
}

function originalAddress(document: Document, page: number): string {
  const { id } = document
  return hasFrame(document) ? `${paths.original(id)}#page=${page}` : paths.original(id)
}
