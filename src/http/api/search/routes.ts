import { searchAnswer, searchRequest, searchRequestWithin } from '../../../contract/search.ts'
import { route } from '../../route.ts'
import { ask } from './ask.ts'

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
      ctx.body = await ask(services, caller, body, gone)
    },
  }),
]
