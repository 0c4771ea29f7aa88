import type { SearchAnswer } from '../../contract/search.ts'
import { searchAddress, type SearchFields } from './fields.ts'

/** Says how an answer differs from what the user asked for: a corrected query, pending documents, or a step that was unavailable. */
export function Notes({ answer, fields }: { answer: SearchAnswer; fields: SearchFields }) {
  const {
    query,
    corrected_query: corrected,
    relaxed_phrases: relaxed,
    pending_documents: pending,
    correction_reason: correctionReason,
    mode_reason: modeReason,
    rerank,
  } = answer
  // A missing reranker is worth a note only if one was configured.
  const orderReason = !rerank.applied && rerank.model !== null && answer.results.length > 0 ? rerank.reason : null
  return (
    <>
      {corrected === null ? null : (
        <p class="corrected">
          Showing results for{' '}
          <a href={searchAddress({ ...fields, q: corrected, offset: '' })}>
            <strong>
              <bdi>{corrected}</bdi>
            </strong>
          </a>
          .{' '}
          <span>
            Search instead for{' '}
            <a href={searchAddress({ ...fields, exact: '1', offset: '' })}>
              <bdi>{query}</bdi>
            </a>
            .
          </span>
        </p>
      )}
      {relaxed.length === 0 ? null : (
        <p class="corrected">
          No passage contains{' '}
          {relaxed.map((phrase, i) => (
            <>
              {i === 0 ? '' : ' and '}
              <strong>
                <bdi>“{phrase}”</bdi>
              </strong>
            </>
          ))}
          . Showing results for the words.{' '}
          <span>
            <a href={searchAddress({ ...fields, exact: '1', offset: '' })}>Search only for the exact text</a>.
          </span>
        </p>
      )}
      {pending === 0 ? null : <p class="notice">{pendingText(pending)} and may be missing from the results.</p>}
      {correctionReason === null ? null : <p class="notice">{correctionReason}</p>}
      {modeReason === null ? null : <p class="notice warning">{modeReason}</p>}
      {answer.truncated ? (
        <p class="notice warning">
          The results are too long for one page, so docsearch left some out. Open the next page to see them, or search for
          something more specific.
        </p>
      ) : null}
      {orderReason === null ? null : <p class="notice warning">The results may not be in the best order. {orderReason}</p>}
    </>
  )
}

export function pendingText(pending: number): string {
  return pending === 1 ? '1 document is still being read' : `${pending} documents are still being read`
}
