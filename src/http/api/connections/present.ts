import type { Connection as WireConnection } from '../../../contract/clients.ts'
import type { Connection } from '../../../oauth/oauth.ts'

/** What a user has connected, as the wire has it. */
export function presentConnection({ application, scopes, since, lastUsedAt }: Connection): WireConnection {
  return {
    client_id: application.id,
    name: application.name,
    type: application.type,
    scopes,
    connected_at: since.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}
