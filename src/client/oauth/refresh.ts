import { DocsearchError } from '../../core/errors.ts'
import { expiresSoon } from '../credentials/oauth-login.ts'
import type { OAuthLogin } from '../credentials/oauth-login.ts'
import { logInAgain } from '../credentials/secrets.ts'
import type { CredentialStore } from '../credentials/store.ts'
import { ClientError } from '../errors.ts'
import type { Connection } from '../transport.ts'
import { discover } from './instance.ts'
import type { InstanceOptions } from './instance.ts'
import { clientOf, requestTokens } from './tokens.ts'

export interface RefreshOptions extends Connection {
  address: string
  login: OAuthLogin
  /** Where the login is stored. */
  secrets: Pick<CredentialStore, 'stored' | 'renew' | 'exclusively' | 'dataDirOf'>
  /** Ends the wait for other processes, but not the request itself. */
  signal?: AbortSignal
}

/**
 * Renews a login and stores it before anyone uses it. One process renews at a time and the others take its result, because a refresh token
 * that is used twice ends the whole login (RFC 9700 section 4.14). For the same reason Ctrl-C doesn't cut the request.
 * Throws ClientError: 401 `login_ended` when only a new login helps. Other errors, such as `unreachable`, change nothing.
 */
export function refreshLogin({ address, login, secrets, signal, ...connection }: RefreshOptions): Promise<OAuthLogin> {
  return secrets.exclusively(
    address,
    async () => {
      const stored = (await secrets.stored(address))?.login
      if (stored === undefined) throw ended(address, 'was logged out in the meantime')
      const isRenewed = stored.accessToken !== login.accessToken
      if (isRenewed && !expiresSoon(stored)) return stored
      const dataDir = await secrets.dataDirOf(address)
      const fresh = await refresh(stored, { address, dataDir, ...connection })
      await secrets.renew(address, fresh)
      return fresh
    },
    signal,
  )
}

async function refresh(login: OAuthLogin, instance: InstanceOptions): Promise<OAuthLogin> {
  const { address } = instance
  if (login.refreshToken === null) throw ended(address, 'has expired')
  const grant = { grant_type: 'refresh_token', refresh_token: login.refreshToken }
  try {
    return await requestTokens(await discover(instance), clientOf(login), grant, login)
  } catch (error) {
    if (!(error instanceof DocsearchError)) throw error
    switch (error.code) {
      case 'invalid_grant':
        // Also after a crash between the instance's answer and storing it: the stored refresh token is used up then.
        throw ended(address, 'has ended: it was revoked, it expired, or a renewal was interrupted', error)
      case 'invalid_client':
      case 'unauthorized_client':
        throw ended(address, `has ended: the instance no longer accepts the application ${login.clientId}`, error)
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
