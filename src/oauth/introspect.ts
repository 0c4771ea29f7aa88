import { hashSecret } from '../core/secrets.ts'
import type { TokenRecord } from '../records/oauth-records.ts'
import { authenticateClient } from './client-authentication.ts'
import { required, type OAuthContext } from './context.ts'
import type { ClientRequest } from './oauth.ts'

/**
 * RFC 7662, for a client's own tokens: to everybody else a token is inactive. A public client may ask too: who holds the token learns nothing
 * that the token itself would not give. Throws OAuthError.
 */
export async function introspect(context: OAuthContext, request: ClientRequest): Promise<Record<string, unknown>> {
  const client = await authenticateClient(context, request)
  const found = await context.records.grants.findToken(hashSecret(required(request.fields, 'token')))
  if (found === null || found.grant.clientId !== client.id || !isGood(found, context.clock.now())) return { active: false }
  const { kind, grant, scopes, createdAt, expiresAt } = found
  const issuer = context.issuer()
  return {
    active: true,
    scope: scopes.join(' '),
    client_id: client.id,
    ...(kind === 'access' && { token_type: 'Bearer' }),
    sub: grant.userId,
    iss: issuer,
    aud: grant.resource ?? issuer,
    iat: seconds(createdAt),
    exp: seconds(expiresAt),
  }
}

/** A disabled user's grants are revoked, a deleted user's are gone. */
function isGood({ grant, isUsed, expiresAt }: TokenRecord, now: Date): boolean {
  return !isUsed && grant.revokedAt === null && expiresAt > now
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
