import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { CopyButton, shortName } from '../parts.tsx'
import { searchCommand } from './command.ts'
import { changed, isByPassage, searchAddress, type SearchFields } from './fields.ts'
import { countDocuments } from './filters.ts'
import { FilterFields, SearchErrorList, SearchForm, type SearchErrors } from './form.tsx'
import { Narrow } from './narrow.tsx'
import { NoDocuments, NothingFound, Welcome } from './nothing.tsx'
import { Notes } from './notes.tsx'
import type { Found, Holdings, StartFacts } from './props.ts'
import { Result } from './result.tsx'
import { SavedSearchList, SaveSearch, type SavedSearchRow } from './saved.tsx'

export interface SearchProps extends SignedInProps {
  fields: SearchFields
  errors: SearchErrors
  holdings: Holdings
  /** Null for a view with a query. */
  start: StartFacts | null
  /** Null if there is no query, or if it has errors. */
  found: Found | null
  /** The user's saved searches, for a view without a query. */
  saved: readonly SavedSearchRow[]
  /** Address of this instance, for the commands that upload documents. */
  baseUrl: string
}

/** `/`: the query and its results. */
export function renderSearch({ fields, errors, holdings, start, found, saved, baseUrl, ...page }: SearchProps): string {
  const failed = Object.keys(errors).length > 0
  const title = found === null ? 'Search' : `${shortName(found.answer.query)} · Search`
  const isStart = found === null && !failed
  const hasFilters = found !== null && holdings.documents > 0
  return html(
    <AppPage title={title} failed={failed} place="search" frame={hasFilters ? 'with-filters' : undefined} {...page}>
      <main id="main" class={isStart ? 'find start' : 'find'}>
        <h1 class={isStart ? undefined : 'unseen'}>{isStart ? 'Search your documents' : title}</h1>
        <FlashMessage flash={page.flash} />
        {isStart && holdings.documents === 0 ? null : (
          <SearchForm fields={fields} errors={errors} projects={holdings.projects} autofocus={isStart} />
        )}
        {failed ? <SearchErrorList errors={errors} /> : null}
        {isStart && holdings.documents > 0 ? <FilterFields fields={fields} errors={errors} /> : null}
        {failed ? <Narrow {...{ fields, errors }} projects={holdings.projects} facets={{}} documentName={null} /> : null}
        {found === null ? null : <Answer {...{ found, fields, holdings, baseUrl }} csrf={page.csrf} />}
        {isStart ? <Start {...{ holdings, start, saved, baseUrl }} /> : null}
      </main>
    </AppPage>,
  )
}

function Start({ holdings, start, saved, baseUrl }: Pick<SearchProps, 'holdings' | 'start' | 'saved' | 'baseUrl'>) {
  return (
    <>
      {holdings.documents === 0 ? <NoDocuments baseUrl={baseUrl} /> : null}
      {saved.length === 0 ? null : <SavedSearchList searches={saved} />}
      {holdings.documents === 0 ? null : <Welcome holdings={holdings} start={start} />}
    </>
  )
}

type AnswerProps = Pick<SearchProps, 'fields' | 'holdings' | 'baseUrl' | 'csrf'> & { found: Found }

function Answer({ found, fields, holdings, baseUrl, csrf }: AnswerProps) {
  const { answer } = found
  const { results } = answer
  if (holdings.documents === 0) return <NoDocuments baseUrl={baseUrl} />
  const documentName = fields.document ? (results[0]?.document.name ?? null) : null
  const command = searchCommand(fields)
  return (
    <div class="browse">
      <Narrow {...{ fields, documentName }} errors={{}} projects={holdings.projects} facets={answer.facets ?? {}} />
      <div class="answers">
        <Notes answer={answer} fields={fields} />
        {results.length === 0 ? (
          <NothingFound answer={answer} fields={fields} isFirstPage={found.offset === 0} />
        ) : (
          <>
            <div class="toolbar">
              <p class="found" role="status">
                {howMany(found, fields)} · {tookSeconds(answer.took_ms)}
                {found.hasAllWords ? '' : ' · no passage here contains all words'}
              </p>
              <Order fields={fields} />
            </div>
            <ol class="results" start={found.offset + 1}>
              {results.map((result) => (
                // The documents contain the corrected words, so the view of a document marks those.
                <Result
                  result={result}
                  fields={{ ...fields, q: answer.corrected_query ?? answer.query }}
                  withProject={holdings.projects.length > 1}
                />
              ))}
            </ol>
            <ResultPages found={found} fields={fields} />
          </>
        )}
        <SaveSearch fields={fields} csrf={csrf} />
        {command === null ? null : (
          <p class="as-command">
            In a terminal:{' '}
            <code dir="ltr" id="as-command">
              {command}
            </code>{' '}
            <CopyButton of="as-command" />
          </p>
        )}
      </div>
    </div>
  )
}

function howMany({ answer, offset, next }: Found, fields: SearchFields): string {
  const { length } = answer.results
  const documents = countDocuments(answer.facets)
  const total =
    documents === null ? '' : documents === 1 ? '1 document' : `${new Intl.NumberFormat('en').format(documents)} documents`
  if (offset > 0) return `Results ${offset + 1} to ${offset + length}${total === '' ? '' : ` in ${total}`}`
  const results = next === null ? (length === 1 ? '1 passage' : `${length} passages`) : `First ${length} passages`
  return isByPassage(fields) || total === '' ? `${results}${total === '' ? '' : ` in ${total}`}` : total
}

const ORDERS = [
  ['', 'Relevance'],
  ['newest', 'Newest'],
  ['name', 'Name'],
] as const

/** Links to the same results in another order, and to every passage instead of the best of each document. */
function Order({ fields }: { fields: SearchFields }) {
  const byPassage = isByPassage(fields)
  const { sort = '' } = fields
  return (
    <nav class="order" aria-label="Order of the results">
      {ORDERS.map(([value, label]) => (
        <a
          href={changed(fields, { sort: value })}
          aria-current={(sort === 'relevance' ? '' : sort) === value ? 'true' : undefined}
        >
          {label}
        </a>
      ))}
      {fields.document ? null : (
        <>
          <span class="gap" />
          <a href={changed(fields, { group: '' })} aria-current={byPassage ? undefined : 'true'}>
            Documents
          </a>
          <a href={changed(fields, { group: 'chunk' })} aria-current={byPassage ? 'true' : undefined}>
            Passages
          </a>
        </>
      )}
    </nav>
  )
}

function tookSeconds(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`
}

function ResultPages({ found: { previous, next }, fields }: { found: Found; fields: SearchFields }) {
  if (previous === null && next === null) return null
  const at = (offset: number) => searchAddress({ ...fields, offset: offset === 0 ? '' : String(offset) })
  return (
    <nav class="pages" aria-label="Result pages">
      {previous === null ? null : (
        <a class="button" rel="prev" href={at(previous)}>
          Previous
        </a>
      )}
      {next === null ? null : (
        <a class="button" rel="next" href={at(next)}>
          Next
        </a>
      )}
    </nav>
  )
}
