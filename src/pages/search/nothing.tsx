import type { SearchAnswer } from '../../contract/search.ts'
import { formatNames } from '../../core/formats.ts'
import { Code, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress, type SearchFields } from './fields.ts'
import { listAddress, type Tab } from '../documents/fields.ts'
import { MAX_WARNED, type Holdings, type StartFacts } from './props.ts'
import { shortFolder } from './short-paths.ts'

/** How many documents can be searched and which need attention, each with a link to them. */
function StartStates({ start: { ready, failed, warned }, pending }: { start: StartFacts; pending: number }) {
  const parts: [text: string, tab: Tab][] = [[`${ready} searchable`, 'all']]
  if (pending > 0) parts.push([`${pending} in progress`, 'progress'])
  if (failed > 0) parts.push([`${failed} failed`, 'failed'])
  if (warned > 0) parts.push([`${warned > MAX_WARNED ? `more than ${MAX_WARNED}` : warned} with warnings`, 'warnings'])
  return (
    <ul class="states">
      {parts.map(([text, tab]) => (
        <li>
          <a href={listAddress({ tab })}>{text}</a>
        </li>
      ))}
    </ul>
  )
}

/** The start view: how many documents there are, which ones are new, and what a query can contain. */
export function Welcome({ holdings: { documents, pending, projects }, start }: { holdings: Holdings; start: StartFacts | null }) {
  const many = new Intl.NumberFormat('en').format(documents)
  return (
    <div class="welcome">
      <p>
        {documents === 1 ? '1 document' : `${many} documents`}
        {projects.length > 1 ? ` in ${projects.length} projects` : ''}
        {pending === 0 ? '' : `; ${pendingText(pending)}`}
      </p>
      {start === null ? null : <StartStates start={start} pending={pending} />}
      {start === null || start.recent.length === 0 ? null : (
        <section aria-labelledby="recent">
          <h2 id="recent">Recently added</h2>
          <ul class="recent">
            {start.recent.map(({ id, name, path, created_at: at }) => (
              <li>
                <a href={paths.document(id)}>
                  <bdi class="folder">{shortFolder(path)}</bdi>
                  <bdi>{name}</bdi>
                </a>{' '}
                <Time at={at} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <dl class="operators">
        <dt>
          <code>"third working day"</code>
        </dt>
        <dd>these words in this order</dd>
        <dt>
          <code>-deposit</code>
        </dt>
        <dd>passages without this word</dd>
        <dt>
          <code>name:lease</code>
        </dt>
        <dd>documents with this in their name</dd>
        <dt>
          <code>path:contracts/</code> <code>tag:signed</code> <code>type:pdf</code>
        </dt>
        <dd>documents in this folder, with this tag, of this type</dd>
      </dl>
      {/* The script fills it after the first paint, so nothing may be below it. */}
      <section id="recent-searches" aria-labelledby="recent-title" hidden>
        <div class="recent-head">
          <h2 id="recent-title">Recent searches</h2>
          <button class="link" type="button" data-clear-recent>
            Clear
          </button>
        </div>
        <ul class="recent" />
      </section>
    </div>
  )
}

/** Explains how to add the first document. */
export function NoDocuments({ baseUrl }: { baseUrl: string }) {
  return (
    <div class="empty first">
      <h2>No documents yet</h2>
      <p>Upload {formatNames('or')} files or a whole folder. You can search them a few seconds later.</p>
      <a class="button primary" href={paths.upload}>
        Upload documents
      </a>
      <p>Or from a terminal:</p>
      <Code label="Commands">{`docsearch login ${baseUrl}\ndocsearch upload ~/Documents --recursive`}</Code>
      <p>
        A program can upload with an <a href={paths.apiKeys}>API key</a>. See the <a href={paths.docs}>API documentation</a>.
      </p>
    </div>
  )
}

interface NothingFoundProps {
  answer: SearchAnswer
  fields: SearchFields
  isFirstPage: boolean
}

/** Suggests what to try next. Shows only advice that fits the query and its filters. */
export function NothingFound({ answer, fields, isFirstPage }: NothingFoundProps) {
  if (!isFirstPage) {
    return (
      <div class="empty">
        <h2>No more results</h2>
        <a class="button" href={searchAddress({ ...fields, offset: '' })}>
          Back to the first results
        </a>
      </div>
    )
  }
  const { query } = answer
  const isFiltered = (['project', 'type', 'tags', 'path', 'after', 'before', 'document'] as const).some((name) => fields[name])
  return (
    <div class="empty" role="status">
      <h2>Nothing found</h2>
      <p>
        No passage in your documents matches{' '}
        <strong>
          <bdi>{query}</bdi>
        </strong>
        {isFiltered ? ' with these filters' : ''}.
      </p>
      <ul class="advice">
        {isFiltered ? (
          <li>
            <a href={searchAddress({ q: query, group: fields.group ?? '', exact: fields.exact ?? '' })}>
              Search in all your documents
            </a>
          </li>
        ) : null}
        {fields.exact ? (
          <li>
            <a href={searchAddress({ ...fields, exact: '', offset: '' })}>Correct misspelled words</a>
          </li>
        ) : null}
        {/["“„«」』]|(?:^|\s)-\S|name:/iu.test(query) ? <li>Remove quotes, exclusions and document names</li> : null}
        <li>Try other words, or fewer words</li>
      </ul>
    </div>
  )
}

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

function pendingText(pending: number): string {
  return pending === 1 ? '1 document is still being read' : `${pending} documents are still being read`
}
