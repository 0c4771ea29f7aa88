import { searchAnswer, searchRequest, searchRequestWithin, type ParsedSearchRequest } from '../../../contract/search.ts'
import type { Principal } from '../../../core/model.ts'
import type { SearchQuery } from '../../../search/search.ts'
import { route } from '../../route.ts'
import type { Services } from '../../services.ts'
import { findProjectId } from '../projects/find.ts'
import { presentSearch } from './present.ts'

export const searchRoutes = [
  route({
    operationId: 'search',
    method: 'POST',
    path: '/api/v1/search',
    tag: 'Search',
    summary: 'Find passages',
    description:
      'Vector and keyword search in one, then reranking. When a stage is down the answer says so (`mode_reason`, `rerank.reason`) instead of failing. `pending_documents` counts what is not searchable yet.',
    access: 'read:documents',
    body: searchRequest,
    bodyFor: ({ http }) => searchRequestWithin(http.limits.queryChars),
    answers: { 200: { description: 'The passages, best first', schema: searchAnswer } },
    problems: ['invalid_query', 'project_not_found', 'unavailable'],
    async handle({ ctx, services, caller, body, gone }) {
      const outcome = await services.search.search(await toQuery(services, caller, body), gone)
      ctx.body = presentSearch(body.query, outcome, { explain: body.explain, groupBy: body.group_by })
    },
  }),
]

async function toQuery(services: Services, caller: Principal, body: ParsedSearchRequest): Promise<SearchQuery> {
  const { filter = {} } = body
  return {
    ownerId: caller.userId,
    query: body.query,
    limit: body.limit,
    offset: body.offset,
    mode: body.mode,
    rerank: body.rerank,
    correct: body.correct,
    groupBy: body.group_by,
    ...(body.project === undefined ? {} : { projectIds: await projectIds(services, caller, [body.project].flat()) }),
    ...(filter.document_ids === undefined ? {} : { documentIds: filter.document_ids }),
    ...(filter.media_types === undefined ? {} : { mediaTypes: filter.media_types }),
    ...(filter.tags === undefined ? {} : { tags: filter.tags }),
    ...(filter.path_prefix === undefined ? {} : { pathPrefix: filter.path_prefix }),
    ...(filter.created_after === undefined ? {} : { createdAfter: new Date(filter.created_after) }),
    ...(filter.created_before === undefined ? {} : { createdBefore: new Date(filter.created_before) }),
  }
}

async function projectIds(services: Services, caller: Principal, namesOrIds: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const one of new Set(namesOrIds)) ids.add(await findProjectId(services, caller, one))
  return [...ids]
}
