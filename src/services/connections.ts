import { DocsearchError } from '../core/errors.ts'
import type { Connection, OAuth } from '../oauth/oauth.ts'
import { requireManager, type Actor } from './access.ts'

/** The applications that may act for the actor. Every function throws `insufficient_scope`. */
export interface Connections {
  list(actor: Actor): Promise<Connection[]>
  /** Ends all access of the application to the actor's account. Throws `connection_not_found`. */
  end(actor: Actor, clientId: string): Promise<void>
}

export function createConnections({ oauth }: { oauth: Pick<OAuth, 'connections'> }): Connections {
  return {
    async list(actor) {
      return oauth.connections.list(requireManager(actor))
    },

    async end(actor, clientId) {
      if (await oauth.connections.end(requireManager(actor), clientId)) return
      throw new DocsearchError('connection_not_found', 'No application with this client_id is connected to your account.')
    },
  }
}
