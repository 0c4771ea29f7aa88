import { DocsearchError } from '../core/errors.ts'
import type { ApplicationRecord, Scope } from '../core/model.ts'
import type { ApplicationRegistry } from '../oauth/oauth.ts'
import { requireManager, type Actor } from './access.ts'

export interface NewApplication {
  name: string
  type: ApplicationRecord['type']
  redirectUris: readonly string[]
  /** What it may ask its users for at most. Default: DEFAULT_SCOPES. May go beyond the actor's scopes, because each user decides. */
  scopes?: readonly Scope[] | undefined
}

/**
 * The applications that the actor has registered. Built-in ones and another user's don't exist for them. Every function throws
 * `insufficient_scope` and `client_not_found`; `create` and `update` throw `invalid_redirect_uri`, `too_many_redirect_uris`, `invalid_name`.
 */
export interface Applications {
  /** Newest first. */
  list(actor: Actor): Promise<ApplicationRecord[]>
  /** `secret` is returned only here; null for a public application, which has none. */
  create(actor: Actor, application: NewApplication): Promise<{ application: ApplicationRecord; secret: string | null }>
  get(actor: Actor, id: string): Promise<ApplicationRecord>
  /** What users have allowed already stays as it is. */
  update(
    actor: Actor,
    id: string,
    change: { name?: string | undefined; redirectUris?: readonly string[] | undefined; scopes?: readonly Scope[] | undefined },
  ): Promise<ApplicationRecord>
  /** Makes a new secret. The old ones stay good until `oldUntil`. Throws `client_is_public`. */
  rotate(
    actor: Actor,
    id: string,
    graceSeconds?: number,
  ): Promise<{ application: ApplicationRecord; secret: string; oldUntil: Date }>
  /** Deletes the application. Everything that users allowed it ends at once. */
  delete(actor: Actor, id: string): Promise<void>
}

export function createApplications({ registry }: { registry: ApplicationRegistry }): Applications {
  return {
    async list(actor) {
      return registry.list(requireManager(actor))
    },

    async create(actor, { scopes, ...application }) {
      return registry.create({ ownerId: requireManager(actor), ...application, ...(scopes && { scopes }) })
    },

    async get(actor, id) {
      const ownerId = requireManager(actor)
      const application = await registry.get(id)
      return application === null || application.ownerId !== ownerId ? notFound() : application
    },

    async update(actor, id, { name, redirectUris, scopes }) {
      const change = { ...(name !== undefined && { name }), ...(redirectUris && { redirectUris }), ...(scopes && { scopes }) }
      return (await registry.update(requireManager(actor), id, change)) ?? notFound()
    },

    async rotate(actor, id, graceSeconds) {
      return (await registry.rotate(requireManager(actor), id, graceSeconds)) ?? notFound()
    },

    async delete(actor, id) {
      if (!(await registry.delete(requireManager(actor), id))) notFound()
    },
  }
}

function notFound(): never {
  throw new DocsearchError('client_not_found', 'You have registered no application with this client_id.')
}
