import type { Logger } from '../core/logger.ts'
import { hashSecret } from '../core/secrets.ts'
import type { OAuthClients, OAuthGrants } from '../records/oauth-records.ts'
import type { CredentialChecker } from './auth.ts'

const SHAPE = /^[0-9a-f]{64}$/

/** Access tokens of OAuth join the check that API keys pass. `clients` knows the built-in one too. */
export function createAccessTokens(options: {
  grants: Pick<OAuthGrants, 'findAccess' | 'touch'>
  clients: Pick<OAuthClients, 'get'>
  log: Logger
}): CredentialChecker {
  const { grants, clients, log } = options
  return {
    async check(credential) {
      if (!SHAPE.test(credential)) return null
      const token = await grants.findAccess(hashSecret(credential))
      if (token === null) return null
      const { grant, scopes, expiresAt } = token
      const client = await clients.get(grant.clientId)
      try {
        await grants.touch(grant.id)
      } catch (error) {
        // "Last used" is a convenience: on a full disk a search must still be answered.
        log.warn({ err: error }, 'the use of an access token could not be noted')
      }
      return {
        userId: grant.userId,
        scopes: new Set(scopes),
        via: 'access_token',
        credentialId: grant.id,
        credentialName: client?.name ?? null,
        expiresAt,
      }
    },
  }
}
