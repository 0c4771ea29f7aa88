import type { Connection as WireConnection } from '../../../contract/clients.ts'
import type { Connection } from '../../../oauth/oauth.ts'

/** What a user has connected, as the wire has it. */
export function presentConnection({ client, scopes, since, lastUsedAt }: Connection): WireConnection {
  return {
    client_id: client.id,
    name: client.name,
    type: client.type,
    scopes,
    connected_at: since.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}
