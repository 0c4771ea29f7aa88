import type { ParsedSearchRequest } from '../../../contract/search.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { paths } from '../../../pages/paths.ts'
import type { SearchErrors } from '../../../pages/search/form.tsx'
import type { Found, Holdings } from '../../../pages/search/props.ts'
import { renderSearch } from '../../../pages/search/search.tsx'
import { presentSearch } from '../../api/search/present.ts'
import { toSearchRequest } from '../../api/search/request.ts'
import { clientGone } from '../../routing/context.ts'
import type { Dependencies } from '../../dependencies.ts'
import { statusOf } from '../../problems/problems.ts'
import { listAll } from '../list-all.ts'
import type { Page, PageCall } from '../routing/page.ts'
import { requestOf, searchFieldsOf } from './search-fields.ts'

const RESULTS = 10
/** The API's limit of `offset`. */
const MAX_OFFSET = 1000

type Parts = Pick<Dependencies, 'projects' | 'search' | 'settings'>

export const searchPages = (parts: Parts): Page[] => [
  {
    method: 'GET',
    path: paths.home,
    access: 'user',
    async handle(call) {
      const { ctx, show, signedIn } = call
      const fields = searchFieldsOf(ctx.query)
      const { found, errors, status } = fields.q === undefined ? NOT_ASKED : await runSearch(parts, call, fields)
      const holdings = await holdingsOf(parts, call)
      show(renderSearch({ ...signedIn(), fields, errors, holdings, found, baseUrl: parts.settings.baseUrl() }), status)
    },
  },
]

interface Outcome {
  found: Found | null
  errors: SearchErrors
  status: number
}

const NOT_ASKED: Outcome = { found: null, errors: {}, status: 200 }

/** Runs the search. Returns errors that the user can correct in the form, and throws all others, which become error pages. */
async function runSearch(parts: Parts, call: PageCall, fields: ReturnType<typeof searchFieldsOf>): Promise<Outcome> {
  const { search, settings } = parts
  // One more result than the view shows tells whether there is another result page.
  const { request, errors } = requestOf(fields, { queryChars: settings.limits.queryChars, limit: RESULTS + 1 })
  if (request === null) return { found: null, errors, status: 400 }
  try {
    const outcome = await search.search(call.actor, toSearchRequest(request), clientGone(call.ctx))
    const presentation = { baseUrl: settings.baseUrl(), maxBytes: settings.limits.answerBytes }
    return { found: foundIn(request, presentSearch(request, outcome, presentation)), errors: {}, status: 200 }
  } catch (error) {
    const errors = formErrors(error)
    if (errors === null) throw error
    return { found: null, errors, status: statusOf(error) }
  }
}

function foundIn({ offset }: ParsedSearchRequest, whole: Found['answer']): Found {
  const results = whole.results.slice(0, RESULTS)
  const hasMore = whole.results.length > RESULTS || (whole.truncated && results.length > 0)
  const next = offset + results.length
  return {
    answer: { ...whole, results, truncated: whole.truncated && whole.results.length <= RESULTS },
    offset,
    previous: offset === 0 ? null : Math.max(0, offset - RESULTS),
    next: hasMore && next <= MAX_OFFSET ? next : null,
  }
}

function formErrors(error: unknown): SearchErrors | null {
  if (!(error instanceof DocsearchError)) return null
  if (error.code === 'invalid_query') return { q: error.message }
  if (error.code === 'project_not_found') return { project: 'You have no such project. Choose one from the list.' }
  return null
}

async function holdingsOf({ projects }: Parts, { actor }: PageCall): Promise<Holdings> {
  const found = await listAll((page) => projects.list(actor, page))
  const counts = found.map((project) => project.counts)
  return {
    documents: counts.reduce((sum, { documents }) => sum + documents, 0),
    pending: counts.reduce((sum, { statuses }) => sum + statuses.queued + statuses.processing, 0),
    projects: found.map(({ id, name }) => ({ id, name })),
  }
}
