import { authorizationCode } from './authorization-code.ts'
import { authenticateClient } from './client-authentication.ts'
import { required, type Grant, type OAuthContext } from './context.ts'
import { deviceCode } from './device-code.ts'
import { OAuthError } from './errors.ts'
import type { ClientRequest, TokenAnswer } from './oauth.ts'
import { refreshToken } from './refresh-token.ts'

/** By `grant_type`. */
export const GRANTS: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
  ['urn:ietf:params:oauth:grant-type:device_code', deviceCode],
])

/** The token endpoint (RFC 6749 section 3.2): which grant, which client, then the grant's own checks. Throws OAuthError. */
export async function token(context: OAuthContext, request: ClientRequest): Promise<TokenAnswer> {
  const grant = GRANTS.get(required(request.fields, 'grant_type'))
  if (grant === undefined)
    throw new OAuthError('unsupported_grant_type', `grant_type has to be one of: ${[...GRANTS.keys()].join(' ')}.`)
  const client = await authenticateClient(context, request)
  return grant(context, client, request.fields)
}
