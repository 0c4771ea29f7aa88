import type { SearchAnswer } from '../../contract/search.ts'
import { formatNames } from '../../core/formats.ts'
import { Code } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress, type SearchFields } from './fields.ts'
import { pendingText } from './notes.tsx'
import type { Holdings } from './props.ts'

/** The start view: how many documents there are, and what a query can contain. */
export function Welcome({ holdings: { documents, pending, projects } }: { holdings: Holdings }) {
  const many = new Intl.NumberFormat('en').format(documents)
  return (
    <div class="welcome">
      <p>
        {documents === 1 ? '1 document' : `${many} documents`}
        {projects.length > 1 ? ` in ${projects.length} projects` : ''}
        {pending === 0 ? '' : `; ${pendingText(pending)}`}
      </p>
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
      </dl>
    </div>
  )
}

/** Explains how to add the first document. */
export function NoDocuments({ baseUrl }: { baseUrl: string }) {
  return (
    <div class="empty first">
      <h2>No documents yet</h2>
      <p>Upload a folder of {formatNames('or')} files from a terminal. You can search them a few seconds later.</p>
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
  const isFiltered = Boolean(fields.project || fields.type || fields.tags)
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
        <li>Try other words, or fewer</li>
      </ul>
    </div>
  )
}
