import { searchAnswer, searchRequestWithin } from '../../../contract/search.ts'
import type { Dependencies } from '../../dependencies.ts'
import { sinceArrival } from '../../middleware/arrival.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentSearch } from './present.ts'
import { toSearchRequest } from './request.ts'

export const searchRoutes = ({ search, settings }: Pick<Dependencies, 'search' | 'settings'>): Route[] => [
  route({
    operationId: 'search',
    method: 'POST',
    path: '/api/v1/search',
    tag: 'Search',
    summary: 'Find passages',
    description:
      'Runs vector search and keyword search, then reranks the results. `sort` sorts the results by time or name, and `facets` counts the documents found by project, folder, media type, tag or year. When a stage is unavailable, the answer says so (`correction_reason`, `mode_reason`, `rerank.reason`) instead of failing. `pending_documents` counts the documents that are not searchable yet. `truncated` says that docsearch left out results because the answer would be too long.',
    access: 'read:documents',
    body: searchRequestWithin(settings.limits.queryChars),
    answers: { 200: { description: 'The passages, in the order of `sort`', schema: searchAnswer } },
    problems: ['invalid_query', 'project_not_found', 'unavailable'],
    async handle({ ctx, actor, body, gone }) {
      const outcome = await sinceArrival(ctx, () => search.search(actor, toSearchRequest(body), gone))
      gone.throwIfAborted()
      ctx.body = presentSearch(body, outcome, { baseUrl: settings.baseUrl(), maxBytes: settings.limits.answerBytes })
    },
  }),
]
