import type { OAuthClient } from '../../../contract/clients.ts'
import type { OAuthClientRecord } from '../../../core/model.ts'

/** An application as the wire has it: never a secret itself. */
export function presentClient(client: OAuthClientRecord): OAuthClient {
  return {
    client_id: client.id,
    name: client.name,
    type: client.type,
    redirect_uris: client.redirectUris,
    scopes: client.scopes,
    secrets: client.secrets.map((secret) => ({
      last_four: secret.lastFour,
      created_at: secret.createdAt.toISOString(),
      expires_at: secret.expiresAt?.toISOString() ?? null,
    })),
    created_at: client.createdAt.toISOString(),
    updated_at: client.updatedAt.toISOString(),
  }
}
