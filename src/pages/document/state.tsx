import { lengthOf, pageTitle } from '../../core/location.ts'
import type { Document } from '../../contract/documents.ts'
import type { Badge } from '../parts.tsx'
import { paths } from '../paths.ts'

export function statusBadge({ status }: Document): Badge | null {
  if (status === 'failed') return { tone: 'bad', text: 'Failed' }
  if (status === 'queued') return { tone: 'neutral', text: 'Waiting' }
  return status === 'processing' ? { tone: 'neutral', text: 'Processing' } : null
}

/** Says whether a search can find the document, why not, and what is missing. */
export function DocumentState({ document, hasText }: { document: Document; hasText: boolean }) {
  const { status, error, warnings } = document
  const isPaged = lengthOf(document.media_type, document.page_count ?? 1) !== null
  return (
    <>
      {status === 'failed' ? (
        <div class="notice error">
          <h2>This document cannot be searched</h2>
          <p>{sentence(error?.message ?? 'It could not be read')}</p>
          <p>
            {hasText ? 'The text below is from an earlier reading. ' : null}
            If the file is at fault, <a href={paths.upload}>upload a corrected one</a> with the same name to the same project. If
            something else was, such as a limit of this instance, read this document again: with the button, if you may change it,
            or with <code>docsearch documents retry {document.id}</code>.
          </p>
        </div>
      ) : null}
      {status === 'queued' || status === 'processing' ? (
        <p class="notice">
          {status === 'queued' ? 'This document is waiting to be read.' : 'This document is being read.'}{' '}
          {hasText ? 'The text below is from the previous reading.' : 'Its text appears here afterwards.'}
          <noscript> Reload this view to see it.</noscript>
        </p>
      ) : null}
      {warnings.length === 0 ? null : (
        <div class="notice warning">
          <h2>A search may miss parts of this document</h2>
          <ul>
            {warnings.map(({ message, page }) => (
              <li>
                {sentence(message)}
                {page === undefined || !isPaged ? null : (
                  <>
                    {' '}
                    <a href={`?page=${page}#page-${page}`}>{pageTitle(document.media_type, page)}</a>
                  </>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/** Adds the final period that the parsers' messages lack, because other places use them inside a sentence. */
function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
