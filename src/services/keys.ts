import type { ApiKeys } from '../auth/auth.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { DEFAULT_SCOPES, type ApiKeyRecord, type Scope } from '../core/model.ts'
import type { ListRequest, ResultPage, Records } from '../records/records.ts'
import { requireManager, requireScopesForKey, type Actor } from './access.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export interface NewKey {
  name: string
  /** Default: the scopes of DEFAULT_SCOPES that the actor has. */
  scopes?: readonly Scope[] | undefined
  /** Default: the key doesn't expire. */
  expiresInDays?: number | undefined
}

/** The API keys of the actor. Every function throws `insufficient_scope`. */
export interface Keys {
  list(actor: Actor, request: ListRequest): Promise<ResultPage<ApiKeyRecord>>
  /**
   * Creates a key. `key` is the secret, which no other function returns. Throws `too_many_keys`. Throws `insufficient_scope` also
   * if the key would have more scopes than the actor.
   */
  create(actor: Actor, key: NewKey): Promise<{ key: string; record: ApiKeyRecord }>
  /** Throws `key_not_found`. */
  delete(actor: Actor, id: string): Promise<void>
}

export function createKeys(options: { records: Pick<Records, 'keys'>; apiKeys: Pick<ApiKeys, 'create'>; clock: Clock }): Keys {
  const { records, apiKeys, clock } = options
  return {
    async list(actor, request) {
      return records.keys.list(requireManager(actor), request)
    },

    async create(actor, { name, scopes = defaultScopes(actor), expiresInDays }) {
      const ownerId = requireManager(actor)
      requireScopesForKey(actor, scopes)
      const expiresAt = expiresInDays === undefined ? null : new Date(clock.now().getTime() + expiresInDays * DAY_MS)
      return apiKeys.create({ ownerId, name, scopes, expiresAt })
    },

    async delete(actor, id) {
      if (await records.keys.delete(requireManager(actor), id)) return
      throw new DocsearchError('key_not_found', 'You have no API key with this ID.')
    },
  }
}

function defaultScopes(actor: Actor): Scope[] {
  const scopes = DEFAULT_SCOPES.filter((scope) => actor.scopes.has(scope))
  if (scopes.length > 0) return scopes
  throw new DocsearchError(
    'insufficient_scope',
    'A key gets the scopes read:documents and write:documents by default, and this credential has neither. Send `scopes`.',
    { details: { scope: DEFAULT_SCOPES.join(' ') } },
  )
}
