import { hashSecret } from '../core/secrets.ts'
import type { TokenRecord } from '../records/oauth.ts'
import { authenticateApplication } from './authenticate-application.ts'
import { required, type OAuthContext } from './context.ts'
import { registeredOf } from './scopes.ts'
import type { ApplicationRequest } from './oauth.ts'
import { OAuthError } from './errors.ts'

/**
 * Introspection (RFC 7662) of an application's own tokens; a token of another application is reported as inactive. A public application may ask too,
 * because the answer tells nothing that the holder of the token could not find out with it. Throws OAuthError.
 */
export async function introspect(context: OAuthContext, request: ApplicationRequest): Promise<Record<string, unknown>> {
  const application = await authenticateApplication(context, request)
  const found = await context.records.grants.findToken(hashSecret(required(request.fields, 'token')))
  if (found === null || found.grant.clientId !== application.id || !isActive(found, context.clock.now())) return { active: false }
  const { kind, grant, scopes, createdAt, expiresAt } = found
  const issuer = context.issuer()
  return {
    active: true,
    scope: registeredOf(scopes, application).join(' '),
    client_id: application.id,
    ...(kind === 'access' && { token_type: 'Bearer' }),
    ...(grant.projectIds !== null && { projects: grant.projectIds }),
    sub: grant.userId,
    iss: issuer,
    aud: grant.resource ?? issuer,
    iat: seconds(createdAt),
    exp: seconds(expiresAt),
  }
}

/** Needs no check of the user: a disabled user's grants are revoked, and a deleted user's grants are gone. */
function isActive({ grant, isUsed, expiresAt }: TokenRecord, now: Date): boolean {
  return !isUsed && grant.revokedAt === null && expiresAt > now
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/** Revocation (RFC 7009). Either token of a family revokes the whole family. An unknown token counts as revoked. Throws OAuthError. */
export async function revoke(context: OAuthContext, request: ApplicationRequest): Promise<void> {
  const application = await authenticateApplication(context, request)
  // `token_type_hint` is not needed: it would only make the look-up faster.
  const found = await context.records.grants.findToken(hashSecret(required(request.fields, 'token')))
  if (found === null) return
  if (found.grant.clientId !== application.id)
    throw new OAuthError('invalid_grant', 'The token was issued to another application. Only that application may revoke it.')
  await context.records.grants.revoke(found.grant.id)
}
