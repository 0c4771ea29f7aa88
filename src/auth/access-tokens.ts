import type { Logger } from '../core/logger.ts'
import { hashSecret } from '../core/secrets.ts'
import type { OAuthApplications, OAuthGrants } from '../records/oauth-records.ts'
import type { CredentialChecker } from './auth.ts'

const SHAPE = /^[0-9a-f]{64}$/

/** Checks OAuth access tokens. `applications` also has to know the built-in application. */
export function createAccessTokens(options: {
  grants: Pick<OAuthGrants, 'findAccess' | 'touch'>
  applications: Pick<OAuthApplications, 'get'>
  log: Logger
}): CredentialChecker {
  const { grants, applications, log } = options
  return {
    async check(credential) {
      if (!SHAPE.test(credential)) return null
      const token = await grants.findAccess(hashSecret(credential))
      if (token === null) return null
      const { grant, scopes, expiresAt } = token
      const application = await applications.get(grant.clientId)
      try {
        await grants.touch(grant.id)
      } catch (error) {
        // A search must still work when the disk is full, and "last used" is only a convenience.
        log.warn({ err: error }, 'could not record the use of an access token')
      }
      return {
        userId: grant.userId,
        // The application's owner may have removed a scope since the user allowed it.
        scopes: new Set(scopes.filter((scope) => application?.scopes.includes(scope))),
        projectIds: grant.projectIds && new Set(grant.projectIds),
        via: 'access_token',
        credentialId: grant.id,
        credentialName: application?.name ?? null,
        ...(grant.resource !== null && { resource: grant.resource }),
        expiresAt,
      }
    },
  }
}
