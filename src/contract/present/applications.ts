import type { ApplicationRecord } from '../../core/model.ts'
import type { OAuthClient, OAuthClientCreated, OAuthClientList, OAuthClientRotated } from '../clients.ts'

/** Presenters of applications, here because both http/ and the offline command line need them. */

/** Never contains a secret. */
export function presentApplication(application: ApplicationRecord): OAuthClient {
  return {
    client_id: application.id,
    name: application.name,
    type: application.type,
    redirect_uris: application.redirectUris,
    scopes: application.scopes,
    secrets: application.secrets.map((secret) => ({
      last_four: secret.lastFour,
      created_at: secret.createdAt.toISOString(),
      expires_at: secret.expiresAt?.toISOString() ?? null,
    })),
    created_at: application.createdAt.toISOString(),
    updated_at: application.updatedAt.toISOString(),
  }
}

export function presentApplications(applications: readonly ApplicationRecord[]): OAuthClientList {
  return { clients: applications.map(presentApplication) }
}

/** The secret follows the id, because people copy the two together. */
export function presentNewApplication({
  application,
  secret,
}: {
  application: ApplicationRecord
  secret: string | null
}): OAuthClientCreated {
  const { client_id, ...rest } = presentApplication(application)
  return { client_id, ...(secret !== null && { client_secret: secret }), ...rest }
}

export function presentRotatedApplication(rotated: {
  application: ApplicationRecord
  secret: string
  oldUntil: Date
}): OAuthClientRotated {
  const { secret, oldUntil } = rotated
  return { ...presentNewApplication(rotated), client_secret: secret, old_secrets_expire_at: oldUntil.toISOString() }
}
