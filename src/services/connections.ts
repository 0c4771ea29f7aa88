import { DocsearchError } from '../core/errors.ts'
import type { VisibleProject } from '../core/model.ts'
import type { AuthorizeRequest, Connection, OAuth } from '../oauth/oauth.ts'
import { requireManager, type Access, type Actor } from './access.ts'

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
