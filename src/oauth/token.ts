import { authorizationCode } from './authorize.ts'
import { authenticateApplication } from './authenticate-application.ts'
import { required, requireGrant, type Grant, type OAuthContext } from './context.ts'
import { deviceCode } from './device.ts'
import { OAuthError } from './errors.ts'
import type { ApplicationRequest, TokenAnswer } from './oauth.ts'
import { refreshToken } from './refresh-token.ts'

/** Grants by `grant_type`. */
export const GRANTS: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
  ['urn:ietf:params:oauth:grant-type:device_code', deviceCode],
])

/** The token endpoint (RFC 6749 section 3.2): finds the grant, authenticates the application, then runs the grant. Throws OAuthError. */
export async function token(context: OAuthContext, request: ApplicationRequest): Promise<TokenAnswer> {
  const grantType = required(request.fields, 'grant_type')
  const grant = GRANTS.get(grantType)
  if (grant === undefined)
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${[...GRANTS.keys()].join(' ')}.`)
  const application = await authenticateApplication(context, request)
  // A refresh continues what another grant began.
  if (grant !== refreshToken) requireGrant(application, grantType)
  return grant(context, application, request.fields)
}
