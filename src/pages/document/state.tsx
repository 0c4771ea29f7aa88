import type { Document } from '../../contract/documents.ts'
import type { Badge } from '../parts.tsx'

export function statusBadge({ status }: Document): Badge | null {
  if (status === 'failed') return { tone: 'bad', text: 'Failed' }
  if (status === 'queued') return { tone: 'neutral', text: 'Waiting' }
  return status === 'processing' ? { tone: 'neutral', text: 'Being read' } : null
}

/** Whether it can be found, why not, and what is missing of it. */
export function DocumentState({ document, hasText }: { document: Document; hasText: boolean }) {
  const { status, error, warnings } = document
  return (
    <>
      {status === 'failed' ? (
        <div class="notice error">
          <h2>This document cannot be searched</h2>
          <p>{sentence(error?.message ?? 'It could not be read')}</p>
          <p>
            When that is mended, upload it again or run <code>docsearch documents retry {document.id}</code>.
          </p>
        </div>
      ) : null}
      {status === 'queued' || status === 'processing' ? (
        <p class="notice">
          {status === 'queued' ? 'This document waits to be read.' : 'This document is being read.'}{' '}
          {hasText
            ? 'What stands here is how it was read before.'
            : 'Its text appears here when that is done; load the page again.'}
        </p>
      ) : null}
      {warnings.length === 0 ? null : (
        <div class="notice warning">
          <h2>Not all of it may be found</h2>
          <ul>
            {warnings.map(({ message, page }) => (
              <li>
                {sentence(message)}
                {page === undefined ? null : (
                  <>
                    {' '}
                    <a href={`?page=${page}#page-${page}`}>Page {page}</a>
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

/** As one: messages of parsers are said within others elsewhere. */
function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
