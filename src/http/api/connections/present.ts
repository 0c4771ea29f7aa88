import type { Connection as WireConnection } from '../../../contract/clients.ts'
import type { OwnConnection } from '../../../services/connections.ts'

/** What a user has connected, as the wire has it. */
export function presentConnection({ application, scopes, projects, since, lastUsedAt }: OwnConnection): WireConnection {
  return {
    client_id: application.id,
    name: application.name,
    type: application.type,
    scopes,
    projects,
    connected_at: since.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}
