import { toMessageQuery, toSearchFilter } from '../../../contract/search-filter.ts'
import type { ParsedSearchRequest } from '../../../contract/search.ts'
import type { SearchRequest } from '../../../services/search.ts'

/** Returns the domain's form of a search request. */
export function toSearchRequest(body: ParsedSearchRequest): SearchRequest {
  const messages = toMessageQuery(body.filter)
  return {
    query: body.query,
    filter: toSearchFilter(body.filter),
    ...(messages !== undefined && { messages }),
    projects: body.project === undefined ? undefined : [body.project].flat(),
    limit: body.limit,
    offset: body.offset,
    mode: body.mode,
    rerank: body.rerank,
    correct: body.correct,
    groupBy: body.group_by,
    passagesEach: body.passages,
    sort: body.sort,
    facets: body.facets ?? null,
    lines: body.lines,
  }
}
