import { expiresSoon } from '../credentials/oauth-login.ts'
import type { OAuthLogin } from '../credentials/oauth-login.ts'
import type { TokenSource } from '../transport.ts'
import type { RefreshOptions } from './refresh.ts'

/** The access tokens of a login, which it renews before they expire. Loads the renewal when it is first needed. */
export class LoginTokens implements TokenSource {
  readonly #options: Omit<RefreshOptions, 'login'>
  #login: OAuthLogin
  /** Set while a renewal runs, which several requests at a time share. */
  #renewal: Promise<OAuthLogin> | undefined

  constructor({ login, ...options }: RefreshOptions) {
    this.#options = options
    this.#login = login
  }

  async current(): Promise<string> {
    const mustRenew = this.#login.refreshToken !== null && expiresSoon(this.#login)
    return mustRenew ? this.#renew() : this.#login.accessToken
  }

  async renew(refused: string): Promise<string> {
    return refused === this.#login.accessToken ? this.#renew() : this.#login.accessToken
  }

  async #renew(): Promise<string> {
    this.#renewal ??= import('./refresh.ts').then(({ refreshLogin }) => refreshLogin({ ...this.#options, login: this.#login }))
    try {
      this.#login = await this.#renewal
    } finally {
      this.#renewal = undefined
    }
    return this.#login.accessToken
  }
}
