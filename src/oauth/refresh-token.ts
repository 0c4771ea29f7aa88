import { hashSecret } from '../core/secrets.ts'
import type { TokenRecord } from '../records/oauth-records.ts'
import { required, type Grant, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import { checkResource } from './resource.ts'
import { scopesWithin, stillRegistered } from './scopes.ts'
import { newTokens } from './tokens.ts'

/** The refresh grant (RFC 6749 section 6) with rotation: a token works once, and its second use revokes its family (RFC 9700 section 4.14.2). */
export const refreshToken: Grant = async (context, application, fields) => {
  const { records, clock, issuer } = context
  const sha256 = hashSecret(required(fields, 'refresh_token'))
  const token = await find(context, sha256)
  if (token === null || token.grant.clientId !== application.id) throw refused()
  if (token.isUsed) return revokeFamily(context, token)
  checkResource(fields['resource'], token.grant.resource, issuer())
  // Asking for fewer scopes now does not reduce the grant: the next refresh starts from what the user agreed to.
  const allowed = stillRegistered(token.scopes, application)
  const scopes = fields['scope'] === undefined ? allowed : scopesWithin(fields['scope'], allowed)
  const { tokens, answer } = newTokens(clock, scopes)
  if ((await records.grants.refresh(sha256, application.id, tokens)) !== null) return answer
  // Another request may have used the token in the meantime.
  if ((await find(context, sha256))?.isUsed === true) return revokeFamily(context, token)
  throw refused()
}

async function find({ records }: OAuthContext, sha256: string): Promise<TokenRecord | null> {
  const token = await records.grants.findToken(sha256)
  return token?.kind === 'refresh' ? token : null
}

/** Either the application or a thief has the newer token, and docsearch can't tell which. */
async function revokeFamily({ records, log }: OAuthContext, { grant }: TokenRecord): Promise<never> {
  if (await records.grants.revoke(grant.id))
    log.warn({ client_id: grant.clientId, grant_id: grant.id }, 'a refresh token was used twice, so its family was revoked')
  throw refused()
}

function refused(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is unknown, expired, already used, revoked, or belongs to another application.',
  )
}
