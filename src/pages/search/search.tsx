import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { searchAddress, type SearchFields } from './fields.ts'
import { SearchErrorList, SearchForm, type SearchErrors } from './form.tsx'
import { NoDocuments, NothingFound, Welcome } from './nothing.tsx'
import { Notes } from './notes.tsx'
import type { Found, Holdings } from './props.ts'
import { Result } from './result.tsx'

export interface SearchProps extends SignedInProps {
  fields: SearchFields
  errors: SearchErrors
  holdings: Holdings
  /** Null if there is no query, or if it has errors. */
  found: Found | null
  /** Address of this instance, for the commands that upload documents. */
  baseUrl: string
}

/** `/`: the query and its results. */
export function renderSearch({ fields, errors, holdings, found, baseUrl, ...page }: SearchProps): string {
  const failed = Object.keys(errors).length > 0
  const title = found === null ? 'Search' : `${shortName(found.answer.query)} · Search`
  const isStart = found === null && !failed
  return html(
    <AppPage title={title} failed={failed} place="search" {...page}>
      <main id="main" class={isStart ? 'find start' : 'find'}>
        <h1 class={isStart ? undefined : 'unseen'}>{isStart ? 'Search your documents' : title}</h1>
        <FlashMessage flash={page.flash} />
        {isStart && holdings.documents === 0 ? null : (
          <SearchForm fields={fields} errors={errors} projects={holdings.projects} autofocus={isStart} />
        )}
        {failed ? <SearchErrorList errors={errors} /> : null}
        {found === null ? null : <Answer found={found} fields={fields} holdings={holdings} baseUrl={baseUrl} />}
        {isStart ? <Start holdings={holdings} baseUrl={baseUrl} /> : null}
      </main>
    </AppPage>,
  )
}

function Start({ holdings, baseUrl }: Pick<SearchProps, 'holdings' | 'baseUrl'>) {
  return holdings.documents === 0 ? <NoDocuments baseUrl={baseUrl} /> : <Welcome holdings={holdings} />
}

function Answer({ found, fields, holdings, baseUrl }: Pick<SearchProps, 'fields' | 'holdings' | 'baseUrl'> & { found: Found }) {
  const { answer } = found
  const { results } = answer
  if (holdings.documents === 0) return <NoDocuments baseUrl={baseUrl} />
  return (
    <>
      <Notes answer={answer} fields={fields} />
      {results.length === 0 ? (
        <NothingFound answer={answer} fields={fields} isFirstPage={found.offset === 0} />
      ) : (
        <>
          <p class="found" role="status">
            {howMany(found)} · {tookSeconds(answer.took_ms)}
          </p>
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
    </>
  )
}

function howMany({ answer, offset, next }: Found): string {
  const { length } = answer.results
  if (offset === 0 && next === null) return length === 1 ? '1 result' : `${length} results`
  return `Results ${offset + 1} to ${offset + length}`
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
