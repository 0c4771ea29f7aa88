import { hashSecret } from '../core/secrets.ts'
import { required, type Grant, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import { checkVerifier } from './pkce.ts'
import { checkResource } from './resource.ts'
import { stillRegistered } from './scopes.ts'
import { newTokens } from './tokens.ts'

/**
 * The authorization code grant (RFC 6749 section 4.1.3). It checks application, redirect address and verifier before one statement claims the code,
 * so that an attempt by another application does not use the code up.
 */
export const authorizationCode: Grant = async (context, application, fields) => {
  const { records, clock, issuer } = context
  const sha256 = hashSecret(required(fields, 'code'))
  const redirectUri = required(fields, 'redirect_uri')
  const code = await records.codes.find(sha256)
  if (code === null || code.clientId !== application.id) throw refused()
  if (code.redirectUri !== redirectUri)
    throw new OAuthError('invalid_grant', 'redirect_uri differs from the one in the authorization request.')
  checkVerifier(fields['code_verifier'], code.codeChallenge)
  checkResource(fields['resource'], code.resource, issuer())
  const { tokens, answer } = newTokens(clock, stillRegistered(code.scopes, application))
  if ((await records.codes.redeem(sha256, tokens)) !== null) return answer
  await revokeGrantOfCode(context, sha256)
  throw refused()
}

/** RFC 6749 section 4.1.2: if a code is used twice, someone else has seen it and may have the first tokens. */
async function revokeGrantOfCode({ records, log }: OAuthContext, sha256: string): Promise<void> {
  const code = await records.codes.find(sha256)
  if (code === null || code.grantId === null) return
  await records.grants.revoke(code.grantId)
  log.warn(
    { client_id: code.clientId, grant_id: code.grantId },
    'an authorization code was used twice, so its tokens were revoked',
  )
}

function refused(): OAuthError {
  return new OAuthError('invalid_grant', 'The code is unknown, expired, already used, or belongs to another application.')
}
