import type { OAuthClientRecord } from '../../core/model.ts'
import type { OAuthClient, OAuthClientCreated, OAuthClientList, OAuthClientRotated } from '../clients.ts'

/** Presenters of applications, here because both http/ and the offline command line need them. */

/** Never contains a secret. */
export function presentApplication(client: OAuthClientRecord): OAuthClient {
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

export function presentApplications(clients: readonly OAuthClientRecord[]): OAuthClientList {
  return { clients: clients.map(presentApplication) }
}

/** The secret follows the id, because people copy the two together. */
export function presentNewApplication({
  client,
  secret,
}: {
  client: OAuthClientRecord
  secret: string | null
}): OAuthClientCreated {
  const { client_id, ...rest } = presentApplication(client)
  return { client_id, ...(secret !== null && { client_secret: secret }), ...rest }
}

export function presentRotatedApplication(rotated: {
  client: OAuthClientRecord
  secret: string
  oldUntil: Date
}): OAuthClientRotated {
  const { secret, oldUntil } = rotated
  return { ...presentNewApplication(rotated), client_secret: secret, old_secrets_expire_at: oldUntil.toISOString() }
}
