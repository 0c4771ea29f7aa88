import { toSearchFilter } from '../../../contract/search-filter.ts'
import type { ParsedSearchRequest, SearchAnswer } from '../../../contract/search.ts'
import type { Principal } from '../../../core/model.ts'
import type { SearchQuery } from '../../../search/search.ts'
import type { Services } from '../../services.ts'
import { findProjectId } from '../projects/find.ts'
import { presentSearch } from './present.ts'

type Caller = Pick<Principal, 'userId'>

/** The one way from a checked request to its answer, for programs and for the page. Throws `invalid_query`, `project_not_found`. */
export async function ask(
  services: Services,
  caller: Caller,
  request: ParsedSearchRequest,
  gone: AbortSignal,
): Promise<SearchAnswer> {
  const outcome = await services.search.search(await toQuery(services, caller, request), gone)
  return presentSearch(request.query, outcome, {
    explain: request.explain,
    groupBy: request.group_by,
    baseUrl: services.http.baseUrl(),
  })
}

async function toQuery(services: Services, caller: Caller, body: ParsedSearchRequest): Promise<SearchQuery> {
  const projects = body.project === undefined ? undefined : await projectIds(services, caller, [body.project].flat())
  return {
    filter: { ...toSearchFilter(body.filter), ownerId: caller.userId, projectIds: projects },
    query: body.query,
    limit: body.limit,
    offset: body.offset,
    mode: body.mode,
    rerank: body.rerank,
    correct: body.correct,
    groupBy: body.group_by,
  }
}

async function projectIds(services: Services, caller: Caller, namesOrIds: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const one of new Set(namesOrIds)) ids.add(await findProjectId(services, caller, one))
  return [...ids]
}
