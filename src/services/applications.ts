import { DocsearchError } from '../core/errors.ts'
import type { ApplicationRecord, Scope, VisibleProject } from '../core/model.ts'
import type { ApplicationRegistry, AuthorizeRequest, Connection, OAuth } from '../oauth/oauth.ts'
import { requireManager, type Actor, type Access } from './access.ts'

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

/** A connection with the projects of its limit that the actor may see; null without a limit. */
export interface OwnConnection extends Connection {
  projects: Pick<VisibleProject, 'id' | 'name'>[] | null
}

/**
 * The applications that may act for the actor. Every function throws `insufficient_scope`. `projects` limits the access of an application
 * to these projects, by ID or name; by default, it gets all that the actor may see. The functions with `projects` throw
 * `project_not_found` and `ambiguous_name`.
 */
export interface Connections {
  list(actor: Actor): Promise<OwnConnection[]>
  /** The actor agreed. Creates a code and returns the address to redirect to. */
  allow(actor: Actor, request: AuthorizeRequest, projects?: readonly string[]): Promise<{ location: string }>
  /** The actor agreed to the request of a device. Returns false if the device no longer waits. */
  allowDevice(actor: Actor, userCode: string, projects?: readonly string[]): Promise<boolean>
  /** Ends all access of the application to the actor's account. Throws `connection_not_found`. */
  end(actor: Actor, clientId: string): Promise<void>
}

export function createConnections({
  oauth,
  access,
}: {
  oauth: Pick<OAuth, 'authorize' | 'connections' | 'device'>
  access: Pick<Access, 'toCount' | 'toLimit'>
}): Connections {
  return {
    async list(actor) {
      const connections = await oauth.connections.list(requireManager(actor))
      const visible = await access.toCount(actor)
      return connections.map((connection) => ({ ...connection, projects: visible.named(connection.projectIds) }))
    },

    async allow(actor, request, projects) {
      const id = requireManager(actor)
      return oauth.authorize.approve(request, { id }, await access.toLimit(actor, projects))
    },

    async allowDevice(actor, userCode, projects) {
      const id = requireManager(actor)
      return oauth.device.decide(userCode, { id }, true, await access.toLimit(actor, projects))
    },

    async end(actor, clientId) {
      if (await oauth.connections.end(requireManager(actor), clientId)) return
      throw new DocsearchError('connection_not_found', 'No application with this client_id is connected to your account.')
    },
  }
}
