import type { ParsedSearchRequest, SearchResult } from '../../contract/search.ts'
import { DocsearchError, isDocsearchError, type ErrorCode } from '../../core/errors.ts'
import { paths } from '../../pages/paths.ts'
import type { SearchErrors } from '../../pages/search/form.tsx'
import { MAX_WARNED, type SearchResults, type Holdings, type StartFacts } from '../../pages/search/props.ts'
import { renderSearch } from '../../pages/search/search.tsx'
import { presentDocument } from '../../contract/present.ts'
import { presentSearch, toSearchRequest } from '../api/search/routes.ts'
import type { MarkedPassage } from '../../services/search.ts'
import { sinceArrival } from '../middleware/credential-watch.ts'
import { clientGone } from '../routing/context.ts'
import type { Dependencies } from '../dependencies.ts'
import { statusOf } from '../problems/problems.ts'
import { listAll, name, optionalName } from './forms.ts'
import type { View, ViewCall } from './routing/page.ts'
import { requestOf, searchFieldsOf, defaultName, fieldsOfParameters, savedParameters } from '../search-fields.ts'
import { z } from 'zod'
import type { SavedSearchRecord } from '../../core/model.ts'
import { renderSavedSearch, type SavedSearchRow } from '../../pages/search/saved.tsx'
import type { FlashCode } from './session/flash.ts'

const RESULTS = 10
/** The API's limit of `offset`. */
const MAX_OFFSET = 1000

type Parts = Pick<Dependencies, 'documents' | 'projects' | 'savedSearches' | 'search' | 'settings'>

export const searchPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.home,
    hasScript: true,
    handle: (call) => sinceArrival(call.ctx, () => showSearch(parts, call)),
  },
]

async function showSearch(parts: Parts, call: ViewCall): Promise<void> {
  const { ctx, show, signedIn } = call
  const fields = searchFieldsOf(ctx.query)
  // The database answers while the search threads are busy.
  const [{ found, errors, status }, { statuses, ...holdings }] = await Promise.all([
    fields.q === undefined ? NOT_ASKED : runSearch(parts, call, fields),
    holdingsOf(parts, call),
  ])
  const isStart = fields.q === undefined && holdings.documents > 0
  const start = isStart ? await startFacts(parts, call, statuses) : null
  const searches = fields.q === undefined ? await parts.savedSearches.list(call.actor) : []
  const saved = savedSearchRows(searches, holdings.projects)
  const baseUrl = parts.settings.baseUrl()
  show(renderSearch({ ...signedIn(), fields, errors, holdings, start, found, saved, baseUrl }), status)
}

interface Outcome {
  found: SearchResults | null
  errors: SearchErrors
  status: number
}

const NOT_ASKED: Outcome = { found: null, errors: {}, status: 200 }

/** Runs the search. Returns errors that the user can correct in the form, and throws all others, which become error pages. */
async function runSearch(parts: Parts, call: ViewCall, fields: ReturnType<typeof searchFieldsOf>): Promise<Outcome> {
  const { search, settings } = parts
  // One more result than the view shows tells whether there is another result page.
  const { request, errors } = requestOf(fields, { queryChars: settings.limits.queryChars, limit: RESULTS + 1 })
  if (request === null) return { found: null, errors, status: 400 }
  try {
    const outcome = await search.search(call.actor, toSearchRequest(request), clientGone(call.ctx))
    // Views take the paths of these addresses, and get the path of the public URL when they are sent.
    const presentation = { baseUrl: new URL(settings.baseUrl()).origin, maxBytes: settings.limits.answerBytes }
    return { found: foundIn(request, presentSearch(request, outcome, presentation), search), errors: {}, status: 200 }
  } catch (error) {
    const errors = formErrors(error)
    if (errors === null) throw error
    return { found: null, errors, status: statusOf(error) }
  }
}

function foundIn({ offset }: ParsedSearchRequest, whole: SearchResults['answer'], search: Parts['search']): SearchResults {
  const results = whole.results.slice(0, RESULTS)
  const hasMore = whole.results.length > RESULTS || (whole.truncated && results.length > 0)
  const next = offset + results.length
  return {
    answer: { ...whole, results, truncated: whole.truncated && whole.results.length <= RESULTS },
    offset,
    previous: offset === 0 ? null : Math.max(0, offset - RESULTS),
    next: hasMore && next <= MAX_OFFSET ? next : null,
    hasAllWords: search.hasAllWords(whole.corrected_query ?? whole.query, results.flatMap(markedPassages)),
  }
}

/** Returns the passages of a result, with the names that belong to them. */
function markedPassages({ document, chunk, text, highlights, more_passages = [] }: SearchResult): MarkedPassage[] {
  const names = `${document.path}\n${document.title ?? ''}`
  return [{ chunk, text, highlights }, ...more_passages].map((passage) => ({
    text: passage.text,
    highlights: passage.highlights,
    about: `${names}\n${passage.chunk.heading}`,
  }))
}

function formErrors(error: unknown): SearchErrors | null {
  if (!(error instanceof DocsearchError)) return null
  if (error.code === 'invalid_query') return { q: error.message }
  if (error.code === 'project_not_found') return { project: 'You have no such project. Choose one from the list.' }
  return null
}

/** How many new documents the start view shows. */
const RECENT = 5

async function startFacts(
  { documents }: Parts,
  { actor }: ViewCall,
  { ready, failed }: Record<'ready' | 'failed', number>,
): Promise<StartFacts> {
  const warned = await documents.list(actor, { limit: MAX_WARNED + 1, warnings: true })
  const recent = await documents.list(actor, { limit: RECENT })
  return { ready, failed, warned: warned.items.length, recent: recent.items.map(presentDocument) }
}

async function holdingsOf(
  { projects }: Parts,
  { actor }: ViewCall,
): Promise<Holdings & { statuses: Record<'ready' | 'failed', number> }> {
  const found = await listAll((page) => projects.list(actor, page))
  const counts = found.map((project) => project.counts)
  return {
    documents: counts.reduce((sum, { documents }) => sum + documents, 0),
    pending: counts.reduce((sum, { statuses }) => sum + statuses.queued + statuses.processing, 0),
    projects: found.map(({ id, name }) => ({ id, name })),
    statuses: {
      ready: counts.reduce((sum, { statuses }) => sum + statuses.ready, 0),
      failed: counts.reduce((sum, { statuses }) => sum + statuses.failed, 0),
    },
  }
}

const saveForm = z.object({ search: z.string().max(12_000), name: optionalName })
const renameForm = z.object({ name })

const REFUSALS: Partial<Record<ErrorCode, FlashCode>> = {
  saved_search_exists: 'search_exists',
  too_many_saved_searches: 'searches_full',
}

export const savedSearchPages = ({ savedSearches, settings }: Parts): View[] => [
  {
    method: 'POST',
    path: paths.savedSearches,
    async handle({ ctx, actor, submitted, goTo }) {
      const { data } = submitted(saveForm)
      const fields = fieldsOfParameters(data?.search ?? ctx.state.form?.fields['search']?.[0] ?? '')
      const { parameters } = savedParameters(fields, settings.limits.queryChars)
      if (parameters === null) return goTo(paths.home, 'search_invalid')
      const back = `${paths.home}?${parameters}`
      if (data === undefined) return goTo(back, 'search_bad_name')
      try {
        await savedSearches.create(actor, { name: data.name || defaultName(fields.q ?? ''), parameters })
      } catch (error) {
        const refusal = isDocsearchError(error) ? REFUSALS[error.code] : undefined
        if (refusal === undefined) throw error
        return goTo(back, refusal)
      }
      goTo(back, 'search_saved')
    },
  },
  {
    method: 'GET',
    path: paths.savedSearch(':id'),
    async handle(call) {
      show(call, await savedSearches.get(call.actor, call.id), {})
    },
  },
  {
    method: 'POST',
    path: paths.savedSearch(':id'),
    async handle(call) {
      const { actor, id, submitted, goTo } = call
      const { data, state } = submitted(renameForm)
      if (data === undefined) return show(call, await savedSearches.get(actor, id), state, 422)
      await savedSearches.rename(actor, id, data.name)
      goTo(paths.home, 'search_renamed')
    },
  },
  {
    method: 'POST',
    path: paths.savedSearchDelete(':id'),
    async handle({ actor, id, goTo }) {
      await savedSearches.delete(actor, id)
      goTo(paths.home, 'search_deleted')
    },
  },
]

function show(
  call: ViewCall,
  { id, name: current, parameters }: SavedSearchRecord,
  form: Parameters<typeof renderSavedSearch>[0]['form'],
  status = 200,
): void {
  const search = { id, name: current, fields: fieldsOfParameters(parameters) }
  call.show(renderSavedSearch({ ...call.signedIn(), search, form }), status)
}

/** Returns the user's searches for a list, with the names of their projects among those that the user sees. */
function savedSearchRows(
  searches: readonly SavedSearchRecord[],
  projects: readonly { id: string; name: string }[],
): SavedSearchRow[] {
  return searches.map(({ id, name: own, parameters }) => {
    const fields = fieldsOfParameters(parameters)
    const { project = '' } = fields
    const found = projects.find((one) => one.id === project) ?? projects.find((one) => one.name === project)
    return { id, name: own, fields, project: project === '' ? null : (found ?? 'hidden') }
  })
}
