import type { Document } from '../../contract/documents.ts'
import { formatOf } from '../../core/formats.ts'
import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress, type SearchFields } from '../search/fields.ts'
import { AboutDocument } from './about.tsx'
import { Travel } from './travel.tsx'
import { DocumentState, statusBadge } from './state.tsx'
import { Sheets, type ShownPassage } from './text.tsx'
import type { TextWindow } from './window.ts'

/** `gone`: the address names a passage that the text does not have any more. */
export type PassageState = ShownPassage | 'gone' | null

export interface DocumentProps extends SignedInProps {
  document: Document
  /** Null: nothing was extracted yet, or could be. */
  window: TextWindow | null
  /** Number of the last page with a text. */
  lastPage: number
  passage: PassageState
  /** Page of the original to show, from 1. */
  page: number
  /** The search that led here. */
  fields: SearchFields
}

/** Of the viewers in browsers: no list of pages beside the page, which is as wide as there is room. */
const FRAME_VIEW = '&view=FitH&navpanes=0&pagemode=none'

/** A browser shows it beside the text. */
export function hasFrame({ media_type: type }: Pick<Document, 'media_type'>): boolean {
  return formatOf(type)?.originalView === 'pdf'
}

/** `/documents/{id}`: the text that was indexed, and the original beside it. */
export function renderDocument({ document, window, lastPage, passage, page, fields, ...signedIn }: DocumentProps): string {
  const badge = statusBadge(document)
  const beside = hasFrame(document)
  return html(
    <AppPage title={shortName(document.name)} place={null} {...signedIn}>
      <main id="main" class={beside ? 'document beside' : 'document'}>
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
              The text of this document has changed since this address was made. The passage may have moved; this is its page.
            </p>
          ) : null}
        </header>
        <div class="text" id="text">
          {window === null ? null : (
            <>
              <Travel id={document.id} window={window} lastPage={lastPage} fields={fields} form />
              <Sheets
                sheets={window.sheets}
                passage={passage === 'gone' ? null : passage}
                instead={passage === 'gone' ? page : null}
                numbered={lastPage > 1}
              />
              <Travel id={document.id} window={window} lastPage={lastPage} fields={fields} />
            </>
          )}
        </div>
        {beside ? (
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

/** The others are saved to a file: what could run in them shall not. */
function opensInBrowser({ media_type: type }: Document): boolean {
  const view = formatOf(type)?.originalView
  return view === 'pdf' || view === 'text'
}

function originalAddress(document: Document, page: number): string {
  const { id } = document
  return hasFrame(document) ? `${paths.original(id)}#page=${page}` : paths.original(id)
}
