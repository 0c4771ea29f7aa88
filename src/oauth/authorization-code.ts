import { hashSecret } from '../core/secrets.ts'
import { required, type Grant, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import { checkVerifier } from './pkce.ts'
import { checkResource } from './resource.ts'
import { newTokens } from './tokens.ts'

/**
 * RFC 6749 section 4.1.3. Client, redirect address and verifier are checked by reading, so that somebody else's attempt does not use the code up;
 * then one statement claims it.
 */
export const authorizationCode: Grant = async (context, client, fields) => {
  const { records, clock, issuer } = context
  const sha256 = hashSecret(required(fields, 'code'))
  const redirectUri = required(fields, 'redirect_uri')
  const code = await records.codes.find(sha256)
  if (code === null || code.clientId !== client.id) throw refused()
  if (code.redirectUri !== redirectUri)
    throw new OAuthError('invalid_grant', 'redirect_uri is not the one that the code was asked for with.')
  checkVerifier(fields['code_verifier'], code.codeChallenge)
  checkResource(fields['resource'], code.resource, issuer())
  const { tokens, answer } = newTokens(clock, code.scopes)
  if ((await records.codes.redeem(sha256, tokens)) !== null) return answer
  await endWhatItWasUsedFor(context, sha256)
  throw refused()
}

/** RFC 6749 section 4.1.2: a code that comes twice was seen by somebody else, who may hold the first tokens. */
async function endWhatItWasUsedFor({ records, log }: OAuthContext, sha256: string): Promise<void> {
  const code = await records.codes.find(sha256)
  if (code === null || code.grantId === null) return
  await records.grants.revoke(code.grantId)
  log.warn({ client_id: code.clientId, grant_id: code.grantId }, 'an authorization code came twice: its tokens are ended')
}

function refused(): OAuthError {
  return new OAuthError('invalid_grant', 'The code is unknown, expired, used already or of another client.')
}
