import { expiresSoon } from '../credentials/oauth-login.ts'
import type { OAuthLogin } from '../credentials/oauth-login.ts'
import type { Secrets } from '../credentials/secrets.ts'
import type { TokenSource } from '../transport.ts'

export interface LoginTokensOptions {
  address: string
  login: OAuthLogin
  /** Where the login lies, to be read again and written. */
  secrets: Pick<Secrets, 'kept' | 'renew' | 'exclusively'>
  userAgent: string
  signal?: AbortSignal
}

/** The access tokens of a login, renewed as they run out. What renews them is loaded when it is first needed. */
export function loginTokens(options: LoginTokensOptions): TokenSource {
  let login = options.login
  let running: Promise<OAuthLogin> | undefined

  // Several requests at a time share one renewal.
  async function renew(): Promise<string> {
    running ??= import('./refresh.ts').then(({ refreshLogin }) => refreshLogin({ ...options, login }))
    try {
      login = await running
    } finally {
      running = undefined
    }
    return login.accessToken
  }

  return {
    current: async () => (login.refreshToken !== null && expiresSoon(login) ? renew() : login.accessToken),
    renew: async (refused) => (refused === login.accessToken ? renew() : login.accessToken),
  }
}
