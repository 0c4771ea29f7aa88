import {
  me,
  type Me,
  apiKeyCreate,
  apiKeyCreated,
  apiKeyList,
  apiKeyListQuery,
  type ApiKeyCreated,
  type ApiKeyList,
  type ApiKey,
} from '../../../contract/account.ts'
import { KEY_SCOPES, type Principal } from '../../../core/model.ts'
import type { Account } from '../../../services/account.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route, answerCreated, routesWith } from '../../routing/route.ts'
import type { OwnKey } from '../../../services/keys.ts'

export const meRoutes = ({ account }: Pick<Dependencies, 'account'>): Route[] => [
  route({
    operationId: 'getMe',
    method: 'GET',
    path: '/api/v1/me',
    tag: 'Account',
    summary: 'Show who you are',
    description: 'The user with usage and quotas, and the credential with its kind, scopes and expiry.',
    access: 'any',
    answers: { 200: { description: 'The caller', schema: me } },
    async handle({ ctx, actor, principal }) {
      if (principal === null) throw new Error('getMe was called without a credential')
      ctx.body = presentMe(await account.getWithUsage(actor), principal)
    },
  }),
]

/** Presents the caller. */
function presentMe(user: Awaited<ReturnType<Account['getWithUsage']>>, caller: Principal): Me {
  return {
    user: { id: user.id, name: user.name, email: user.email, role: user.role },
    scopes: KEY_SCOPES.filter((scope) => caller.scopes.has(scope)),
    projects: user.projects,
    authentication: { method: caller.via, id: caller.credentialId, name: caller.credentialName },
    expires_at: caller.expiresAt?.toISOString() ?? null,
    usage: user.usage,
    quota: user.quotas,
  }
}

const keyRoute = routesWith({ tag: 'Keys', access: 'manage:keys' })

export const keyRoutes = ({ keys, settings }: Pick<Dependencies, 'keys' | 'settings'>): Route[] => [
  keyRoute({
    operationId: 'listKeys',
    method: 'GET',
    path: '/api/v1/keys',
    summary: 'List your API keys',
    query: apiKeyListQuery,
    answers: { 200: { description: 'Some of your keys, without their secrets', schema: apiKeyList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, actor, query }) {
      const { items, nextCursor } = await keys.list(actor, query)
      ctx.body = { keys: items.map(presentKey), next_cursor: nextCursor } satisfies ApiKeyList
    },
  }),
  keyRoute({
    operationId: 'createKey',
    method: 'POST',
    path: '/api/v1/keys',
    summary: 'Create an API key',
    description:
      'The answer has the key, which is shown only once. A key never has more scopes or projects than the caller. Only the owner of the instance can create a key with `read:metrics`, and such a key cannot be limited to projects; the owner needs no credential with that scope for it. A key that is limited to projects sees no other projects, and cannot create projects or manage users or models. A user can have at most 100 keys (`limits.api_keys`). Expired keys make room for new ones.',
    body: apiKeyCreate,
    answers: { 201: { description: 'The key', schema: apiKeyCreated, headers: { Location: 'Its address' } } },
    problems: ['too_many_keys', 'project_not_found', 'owner_only', 'limited_to_projects'],
    async handle({ ctx, actor, body: { expires_in_days: expiresInDays, ...key } }) {
      const { key: secret, record } = await keys.create(actor, { ...key, expiresInDays })
      const body = { ...presentKey(record), key: secret } satisfies ApiKeyCreated
      answerCreated(ctx, `${settings.baseUrl()}/api/v1/keys/${record.id}`, body)
    },
  }),
  keyRoute({
    operationId: 'deleteKey',
    method: 'DELETE',
    path: '/api/v1/keys/{id}',
    summary: 'Revoke an API key',
    idDescription: 'ID of the key',
    answers: { 204: { description: 'The key no longer works' } },
    problems: ['key_not_found'],
    async handle({ ctx, actor, id }) {
      await keys.delete(actor, id)
      ctx.status = 204
    },
  }),
]

/** Presents what is known about a key. The key itself is never shown. */
function presentKey(key: OwnKey): ApiKey {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    projects: key.projects,
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  }
}
