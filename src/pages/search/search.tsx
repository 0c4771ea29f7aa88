import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { CopyButton, shortName } from '../parts.tsx'
import { changed, isByPassage, searchAddress, type SearchFields } from './fields.ts'
import { countDocuments, tagsOf, activeFilters, facetGroups } from './filters.ts'
import { FilterFields, SearchErrorList, SearchForm, type SearchErrors } from './form.tsx'
import { NoDocuments, NothingFound, Welcome, Notes } from './nothing.tsx'
import type { SearchResults, Holdings, StartFacts } from './props.ts'
import { Result } from './result.tsx'
import { SavedSearchList, SaveSearch, type SavedSearchRow } from './saved.tsx'
import type { ProjectChoice } from '../project-fields.tsx'
import type { Facets } from '../../contract/search.ts'

export interface SearchProps extends SignedInProps {
  fields: SearchFields
  errors: SearchErrors
  holdings: Holdings
  /** Null for a view with a query. */
  start: StartFacts | null
  /** Null if there is no query, or if it has errors. */
  found: SearchResults | null
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

type AnswerProps = Pick<SearchProps, 'fields' | 'holdings' | 'baseUrl' | 'csrf'> & { found: SearchResults }

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

function howMany({ answer, offset, next }: SearchResults, fields: SearchFields): string {
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

function ResultPages({ found: { previous, next }, fields }: { found: SearchResults; fields: SearchFields }) {
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

/** Returns the command that runs the same search in a terminal. Returns null for a search that the command line can't run. */
export function searchCommand(fields: SearchFields): string | null {
  const { q = '', project, type, path, after, before, sort, group, exact, document } = fields
  if (document) return null
  const options = [
    ...(project ? [option('--project', project)] : []),
    ...(type ? [option('--type', type)] : []),
    ...tagsOf(fields).map((tag) => option('--tag', tag)),
    ...(path ? [option('--path', path)] : []),
    ...(after ? [option('--after', after)] : []),
    ...(before ? [option('--before', before)] : []),
    ...(sort && sort !== 'relevance' ? [option('--sort', sort)] : []),
    ...(exact ? ['--no-correct'] : []),
    ...(group === 'chunk' ? [] : ['--group']),
  ]
  // A query that begins with a hyphen would be an option.
  return q.startsWith('-')
    ? ['docsearch search', ...options, '--', quote(q)].join(' ')
    : ['docsearch search', quote(q), ...options].join(' ')
}

/** A value that begins with a hyphen needs the equals sign, or it would be an option itself. */
function option(name: string, value: string): string {
  return `${name}${value.startsWith('-') ? '=' : ' '}${quote(value)}`
}

/** Quotes a value for a shell, unless it consists of harmless characters. */
function quote(value: string): string {
  if (/^[\w./:-]+$/.test(value)) return value
  return `'${value.replaceAll("'", `'\\''`)}'`
}

interface NarrowProps {
  fields: SearchFields
  errors: SearchErrors
  projects: readonly ProjectChoice[]
  facets: Facets
  /** The name of the only document that is searched. */
  documentName: string | null
}

/** What narrows the results: the filters in use, as links that remove them, and the values to choose from. */
function Narrow({ fields, errors, projects, facets, documentName }: NarrowProps) {
  const active = activeFilters(fields, projects, documentName)
  return (
    <aside class="narrow" aria-label="Filters">
      {active.length === 0 ? null : (
        <ul class="chips" aria-label="Filters in use">
          {active.map(({ name, value, without }) => (
            <li>
              <a class="chip" href={changed(fields, without)} title="Remove this filter">
                <span class="unseen">Remove the filter </span>
                <span>{name}</span> <bdi>{value}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
      <details class="facets" {...(Object.keys(errors).length > 0 ? { open: true } : {})}>
        <summary>Filters</summary>
        <div class="facet-groups">
          {facetGroups(facets, fields, projects).map(({ name, choices }) => (
            <section>
              <h2>{name}</h2>
              <ul>
                {choices.map(({ label, count, isChosen, change }) => (
                  <li>
                    <a href={changed(fields, change)} {...(isChosen ? { 'aria-current': 'true' } : {})}>
                      <bdi>{label}</bdi> <span>{count}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          <FilterFields fields={fields} errors={errors} />
        </div>
      </details>
    </aside>
  )
}
