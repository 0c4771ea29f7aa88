import { DocsearchError } from '../../core/errors.ts'
import { paths } from '../../pages/paths.ts'
import type { SearchErrors } from '../../pages/search/form.tsx'
import type { Found, Holdings } from '../../pages/search/props.ts'
import { renderSearch } from '../../pages/search/search.tsx'
import { ask } from '../api/search/ask.ts'
import { clientGone } from '../client-gone.ts'
import { statusOf } from '../problems.ts'
import type { Services } from '../services.ts'
import { every } from './every.ts'
import type { Page, PageCall } from './page.ts'
import { requestOf, searchFieldsOf } from './search-fields.ts'
import { searchLimit } from './search-limit.ts'

const RESULTS = 10
/** The API's limit of `offset`. */
const LAST_OFFSET = 1000

export function searchPages(): Page[] {
  const limit = searchLimit()
  return [
    {
      method: 'GET',
      path: paths.home,
      access: 'user',
      async handle(call) {
        const { ctx, services, user, show, signedIn } = call
        const fields = searchFieldsOf(ctx.query)
        const outcome = fields.q === undefined ? NOT_ASKED : await answer(call, fields, limit)
        const holdings = await holdingsOf(services, user.id)
        const { found, errors, status } = outcome
        show(renderSearch({ ...signedIn(), fields, errors, holdings, found, baseUrl: services.http.baseUrl() }), status)
      },
    },
  ]
}

interface Outcome {
  found: Found | null
  errors: SearchErrors
  status: number
}

const NOT_ASKED: Outcome = { found: null, errors: {}, status: 200 }

/** What can be mended on the page comes back as a sentence; other failures are pages of their own. */
async function answer(
  call: PageCall,
  fields: ReturnType<typeof searchFieldsOf>,
  limit: (call: PageCall) => Promise<void>,
): Promise<Outcome> {
  const { ctx, services, user } = call
  // One more than is shown tells whether there is another page.
  const { request, errors } = requestOf(fields, { queryChars: services.http.limits.queryChars, limit: RESULTS + 1 })
  if (request === null) return { found: null, errors, status: 400 }
  await limit(call)
  try {
    const whole = await ask(services, { userId: user.id }, request, clientGone(ctx))
    const { offset } = request
    const next = offset + RESULTS
    const found: Found = {
      answer: { ...whole, results: whole.results.slice(0, RESULTS) },
      offset,
      previous: offset === 0 ? null : Math.max(0, offset - RESULTS),
      next: whole.results.length > RESULTS && next <= LAST_OFFSET ? next : null,
    }
    return { found, errors: {}, status: 200 }
  } catch (error) {
    const refused = refusal(error)
    if (refused === null) throw error
    return { found: null, errors: refused, status: statusOf(error) }
  }
}

function refusal(error: unknown): SearchErrors | null {
  if (!(error instanceof DocsearchError)) return null
  if (error.code === 'invalid_query') return { q: error.message }
  if (error.code === 'project_not_found') return { project: 'You have no such project. Choose one from the list.' }
  return null
}

async function holdingsOf({ records }: Services, ownerId: string): Promise<Holdings> {
  const projects = await every((page) => records.projects.list(ownerId, page))
  const counts = projects.map((project) => project.counts)
  return {
    documents: counts.reduce((sum, { documents }) => sum + documents, 0),
    pending: counts.reduce((sum, { statuses }) => sum + statuses.queued + statuses.processing, 0),
    projects: projects.map(({ id, name }) => ({ id, name })),
  }
}
