import { DocsearchError } from '../../core/errors.ts'
import { expiresSoon } from '../credentials/oauth-login.ts'
import type { OAuthLogin } from '../credentials/oauth-login.ts'
import { logInAgain } from '../credentials/secrets.ts'
import { ClientError } from '../errors.ts'
import { discover } from './instance.ts'
import type { LoginTokensOptions } from './login-tokens.ts'
import { clientOf, requestTokens } from './tokens.ts'

/**
 * New tokens in place of `login`, kept before they are given out. One process at a time does it and the others take what it got: a refresh token that is used
 * twice ends the whole login (RFC 9700 section 4.14). For the same reason Ctrl-C does not cut the request: it ends the wait for others only.
 * Throws ClientError: 401 `login_ended` when only logging in again helps; `unreachable` and the like leave everything as it was.
 */
export function refreshLogin({ address, login, secrets, userAgent, signal }: LoginTokensOptions): Promise<OAuthLogin> {
  return secrets.exclusively(
    address,
    async () => {
      const kept = (await secrets.kept(address))?.login
      if (kept === undefined) throw ended(address, 'was logged out meanwhile')
      const isNewer = kept.accessToken !== login.accessToken
      if (isNewer && !expiresSoon(kept)) return kept
      const fresh = await refresh(address, kept, userAgent)
      await secrets.renew(address, fresh)
      return fresh
    },
    signal,
  )
}

async function refresh(address: string, kept: OAuthLogin, userAgent: string): Promise<OAuthLogin> {
  if (kept.refreshToken === null) throw ended(address, 'has run out')
  const grant = { grant_type: 'refresh_token', refresh_token: kept.refreshToken }
  try {
    return await requestTokens(await discover({ address, userAgent }), clientOf(kept), grant, kept)
  } catch (error) {
    if (!(error instanceof DocsearchError)) throw error
    switch (error.code) {
      case 'invalid_grant':
        // Also after a crash between the instance's answer and our keeping it: what is kept then was used already.
        throw ended(address, 'has ended: it was revoked, it ran out, or a renewal of it was cut off', error)
      case 'invalid_client':
      case 'unauthorized_client':
        throw ended(address, `is over: the instance no longer accepts the application ${kept.clientId}`, error)
      case 'wrong_issuer':
      case 'oauth_unsupported':
        throw new ClientError(error.code, error.message, { status: 401, cause: error })
      default:
        throw error
    }
  }
}

function ended(address: string, what: string, cause?: DocsearchError): ClientError {
  return new ClientError('login_ended', `The login at ${address} ${what}. ${logInAgain(address)}`, { status: 401, cause })
}
