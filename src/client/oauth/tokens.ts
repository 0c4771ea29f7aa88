import type { OAuthLogin } from '../credentials/oauth-login.ts'
import { ClientError } from '../errors.ts'
import type { OAuthClient, OAuthInstance } from './instance.ts'

/**
 * Requests tokens with any grant (RFC 6749 section 5.1). Checks the answer, because its tokens go into headers and files.
 * `before` has the values that the answer may leave out. Throws ClientError.
 */
export async function requestTokens(
  instance: OAuthInstance,
  client: OAuthClient,
  grant: Record<string, string>,
  before: { refreshToken: string | null; scope: string },
): Promise<OAuthLogin> {
  const answer = (await instance.ask('token', client, grant)) ?? {}
  const { access_token: access, refresh_token: refresh, expires_in: lifetime, token_type: type, scope } = answer
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer'
  if (!isBearer || !isToken(access) || (refresh !== undefined && !isToken(refresh)) || !isLifetime(lifetime)) {
    throw new ClientError('invalid_answer', `${instance.address} sent an invalid token response.`)
  }
  return {
    accessToken: access,
    expiresAt: new Date(Date.now() + lifetime * 1000).toISOString(),
    refreshToken: refresh ?? before.refreshToken,
    clientId: client.id,
    clientSecret: client.secret,
    scope: typeof scope === 'string' ? scope : before.scope,
  }
}

/** Ends the login at the instance (RFC 7009): revokes the refresh token, and with it every token of the login. Throws ClientError. */
export async function revokeLogin(instance: OAuthInstance, login: OAuthLogin): Promise<void> {
  const { refreshToken, accessToken } = login
  const hint = refreshToken === null ? 'access_token' : 'refresh_token'
  await instance.ask('revocation', clientOf(login), { token: refreshToken ?? accessToken, token_type_hint: hint })
}

/** Returns until when the login can be renewed (RFC 7662); null when the instance doesn't say. Throws ClientError. */
export async function renewableUntil(instance: OAuthInstance, login: OAuthLogin): Promise<Date | null> {
  if (login.refreshToken === null || !instance.has('introspection')) return null
  const answer = await instance.ask('introspection', clientOf(login), {
    token: login.refreshToken,
    token_type_hint: 'refresh_token',
  })
  const end = answer?.['exp']
  return answer?.['active'] === true && typeof end === 'number' && isLifetime(end) ? new Date(end * 1000) : null
}

export function clientOf(login: OAuthLogin): OAuthClient {
  return { id: login.clientId, secret: login.clientSecret }
}

/** Checks for the token characters of RFC 6750 section 2.1, which are safe in headers and files. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9\-._~+/]+=*$/.test(value) && value.length <= 4096
}

function isLifetime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e10
}
