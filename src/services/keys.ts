import type { ApiKeys } from '../auth/auth.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { DEFAULT_SCOPES, type ApiKeyRecord, type KeyScope, type VisibleProject } from '../core/model.ts'
import type { ListRequest, ResultPage, Records } from '../records/records.ts'
import { requireManager, requireScopesForKey, type Access, type Actor } from './access.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export interface NewKey {
  name: string
  /** Default: the scopes of DEFAULT_SCOPES that the actor has. */
  scopes?: readonly KeyScope[] | undefined
  /** The projects to which the key is limited, by ID or name. Default: the actor's own limit, or no limit. */
  projects?: readonly string[] | undefined
  /** Default: the key doesn't expire. */
  expiresInDays?: number | undefined
}

/** A key with the projects of its limit that the actor may see; null without a limit. */
export interface OwnKey extends ApiKeyRecord {
  projects: Pick<VisibleProject, 'id' | 'name'>[] | null
}

/** The API keys of the actor. Every function throws `insufficient_scope`. */
export interface Keys {
  list(actor: Actor, request: ListRequest): Promise<ResultPage<OwnKey>>
  /**
   * Creates a key. `key` is the secret, which no other function returns. Throws `too_many_keys`. Throws `insufficient_scope` also
   * if the key would have more scopes than the actor, and `project_not_found` and `ambiguous_name` about its projects.
   */
  create(actor: Actor, key: NewKey): Promise<{ key: string; record: OwnKey }>
  /** Throws `key_not_found`. */
  delete(actor: Actor, id: string): Promise<void>
}

export function createKeys(options: {
  records: Pick<Records, 'keys'>
  apiKeys: Pick<ApiKeys, 'create'>
  access: Pick<Access, 'toCount' | 'toLimit'>
  clock: Clock
}): Keys {
  const { records, apiKeys, access, clock } = options

  async function present(actor: Actor, keys: readonly ApiKeyRecord[]): Promise<OwnKey[]> {
    const visible = await access.toCount(actor)
    return keys.map((key) => ({ ...key, projects: visible.named(key.projectIds) }))
  }

  return {
    async list(actor, request) {
      const { items, nextCursor } = await records.keys.list(requireManager(actor), request)
      return { items: await present(actor, items), nextCursor }
    },

    async create(actor, { name, scopes = defaultScopes(actor), projects, expiresInDays }) {
      const ownerId = requireManager(actor)
      const expiresAt = expiresInDays === undefined ? null : new Date(clock.now().getTime() + expiresInDays * DAY_MS)
      const projectIds = await access.toLimit(actor, projects)
      requireScopesForKey(actor, scopes, projectIds)
      const { key, record } = await apiKeys.create({ ownerId, name, scopes, projectIds, expiresAt })
      return { key, record: (await present(actor, [record]))[0]! }
    },

    async delete(actor, id) {
      if (await records.keys.delete(requireManager(actor), id)) return
      throw new DocsearchError('key_not_found', 'You have no API key with this ID.')
    },
  }
}

function defaultScopes(actor: Actor): KeyScope[] {
  const scopes = DEFAULT_SCOPES.filter((scope) => actor.scopes.has(scope))
  if (scopes.length > 0) return scopes
  throw new DocsearchError(
    'insufficient_scope',
    'A key gets the scopes read:documents and write:documents by default, and this credential has neither. Send `scopes`.',
    { details: { scope: DEFAULT_SCOPES.join(' ') } },
  )
}
