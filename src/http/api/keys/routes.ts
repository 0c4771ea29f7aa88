import {
  apiKeyCreate,
  apiKeyCreated,
  apiKeyList,
  apiKeyListQuery,
  type ApiKeyCreated,
  type ApiKeyList,
} from '../../../contract/account.ts'
import { DEFAULT_SCOPES } from '../../../core/model.ts'
import { pageRequest } from '../../page.ts'
import { fail } from '../../problems.ts'
import { route } from '../../route.ts'
import { presentKey } from './present.ts'

const tag = 'Keys'
const access = 'manage:keys'
const DAY_MS = 24 * 60 * 60 * 1000

export const keyRoutes = [
  route({
    operationId: 'listKeys',
    method: 'GET',
    path: '/api/v1/keys',
    tag,
    summary: 'List your API keys',
    access,
    query: apiKeyListQuery,
    answers: { 200: { description: 'A page of keys, without the keys themselves', schema: apiKeyList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, services, caller, query }) {
      const { items, nextCursor } = await services.records.keys.list(caller.userId, pageRequest(query))
      ctx.body = { keys: items.map(presentKey), next_cursor: nextCursor } satisfies ApiKeyList
    },
  }),
  route({
    operationId: 'createKey',
    method: 'POST',
    path: '/api/v1/keys',
    tag,
    summary: 'Make an API key',
    description:
      'The answer holds the key; it is shown this once and cannot be read again. Never more scope than the caller has.',
    access,
    body: apiKeyCreate,
    answers: { 201: { description: 'The key', schema: apiKeyCreated, headers: { Location: 'Its address' } } },
    async handle({ ctx, services, caller, body }) {
      const scopes = body.scopes ?? DEFAULT_SCOPES.filter((scope) => caller.scopes.has(scope))
      if (scopes.length === 0) {
        throw fail('insufficient_scope', 'The credential has none of the scopes a key gets by default. Name `scopes`.', {
          scope: DEFAULT_SCOPES.join(' '),
        })
      }
      const expiresAt =
        body.expires_in_days === undefined ? null : new Date(services.clock.now().getTime() + body.expires_in_days * DAY_MS)
      const { key, record } = await services.apiKeys.create({
        ownerId: caller.userId,
        name: body.name,
        scopes,
        expiresAt,
        maker: caller,
      })
      ctx.status = 201
      ctx.set('Location', `${services.http.baseUrl()}/api/v1/keys/${record.id}`)
      ctx.body = { ...presentKey(record), key } satisfies ApiKeyCreated
    },
  }),
  route({
    operationId: 'deleteKey',
    method: 'DELETE',
    path: '/api/v1/keys/{id}',
    tag,
    summary: 'Revoke an API key',
    access,
    idDescription: 'Id of the key',
    answers: { 204: { description: 'It is good for nothing any more' } },
    problems: ['key_not_found'],
    async handle({ ctx, services, caller, id }) {
      if (!(await services.records.keys.delete(caller.userId, id))) {
        throw fail('key_not_found', `You have no key ${JSON.stringify(id.slice(0, 100))}.`)
      }
      ctx.status = 204
    },
  }),
]
