import { hashSecret } from '../core/secrets.ts'
import type { TokenRecord } from '../records/oauth-records.ts'
import { required, type Grant, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import { checkResource } from './resource.ts'
import { scopesWithin } from './scopes.ts'
import { newTokens } from './tokens.ts'

/** RFC 6749 section 6, with rotation: the token is used up, and one that comes a second time ends its family (RFC 9700 section 4.14.2). */
export const refreshToken: Grant = async (context, client, fields) => {
  const { records, clock, issuer } = context
  const sha256 = hashSecret(required(fields, 'refresh_token'))
  const token = await find(context, sha256)
  if (token === null || token.grant.clientId !== client.id) throw refused()
  if (token.isUsed) return endFamily(context, token)
  checkResource(fields['resource'], token.grant.resource, issuer())
  // Fewer now does not mean fewer for ever: the next refresh starts from what the user agreed to.
  const scopes = fields['scope'] === undefined ? token.scopes : scopesWithin(fields['scope'], token.scopes)
  const { tokens, answer } = newTokens(clock, scopes)
  if ((await records.grants.refresh(sha256, client.id, tokens)) !== null) return answer
  // Somebody may have been faster by a moment.
  if ((await find(context, sha256))?.isUsed === true) return endFamily(context, token)
  throw refused()
}

async function find({ records }: OAuthContext, sha256: string): Promise<TokenRecord | null> {
  const token = await records.grants.findToken(sha256)
  return token?.kind === 'refresh' ? token : null
}

/** Client or thief, one of two now holds the newer token, and nobody can tell which. */
async function endFamily({ records, log }: OAuthContext, { grant }: TokenRecord): Promise<never> {
  if (await records.grants.revoke(grant.id))
    log.warn({ client_id: grant.clientId, grant_id: grant.id }, 'a refresh token came twice: its family is ended')
  throw refused()
}

function refused(): OAuthError {
  return new OAuthError('invalid_grant', 'The refresh token is unknown, expired, used already, revoked or of another client.')
}
