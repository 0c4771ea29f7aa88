import { hashSecret } from '../core/secrets.ts'
import { authenticateApplication } from './authenticate-application.ts'
import { required, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import type { ApplicationRequest } from './oauth.ts'

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
