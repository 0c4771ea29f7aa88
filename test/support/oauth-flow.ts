import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { ApplicationRecord, Scope, User } from '../../src/core/model.ts'
import type { NewApplication, TokenAnswer } from '../../src/oauth/oauth.ts'
import type { ApiAnswer } from './api-client.ts'
import type { TestApp } from './app.ts'

export const REDIRECT_URI = 'https://app.example.com/callback?tenant=7'

export interface OAuthFlowOptions extends Partial<Pick<NewApplication, 'type' | 'redirectUris'>> {
  /** The user who registers the application and agrees to it. Default: Alice. */
  userName?: 'Alice' | 'Bob'
  /** Another user instead. */
  user?: User
  scopes?: readonly Scope[]
  /** Use this application instead of registering one. */
  application?: ApplicationRecord
  /** The secret of that application. */
  secret?: string | null
}

export type TokenReply = TokenAnswer & { error?: string; error_description?: string }
type Fields = Record<string, string>

/** A registered application and a user who agrees to everything it asks for. Checks every answer against the contract. */
export interface OAuthFlow {
  application: ApplicationRecord
  secret: string | null
  user: User
  /** All secrets that were issued. */
  secrets: Set<string>
  /** Returns the parameters of the redirect after the user has agreed. */
  agree(query?: Fields): Promise<URLSearchParams>
  /** Returns a code for this query. */
  code(query?: Fields): Promise<string>
  /** Sends a token request with the application's credentials in the body. Leaves undefined fields out. */
  token(fields: Record<string, string | undefined>): Promise<ApiAnswer<TokenReply>>
  /** Exchanges a code for tokens. */
  exchange(code: string, fields?: Record<string, string | undefined>): Promise<ApiAnswer<TokenReply>>
  refresh(refreshToken: string | undefined, fields?: Fields): Promise<ApiAnswer<TokenReply>>
  /** Runs the flow from consent to tokens. */
  tokens(query?: Fields): Promise<Required<TokenAnswer>>
  /** Sends a request to any endpoint as this application. */
  post(path: string, fields: Record<string, string | undefined>): Promise<ApiAnswer<Record<string, unknown>>>
  /** Calls the API with an access token. */
  api(accessToken: string, path?: string): Promise<ApiAnswer>
}

export function pkce(): { verifier: string; challenge: string; query: Fields } {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, challenge, query: { code_challenge: challenge, code_challenge_method: 'S256' } }
}

export async function oauthFlow(app: TestApp, options: OAuthFlowOptions = {}): Promise<OAuthFlow> {
  const { userName = 'Alice', type = 'confidential', redirectUris = [REDIRECT_URI], scopes } = options
  const { oauth, records } = app.backend
  const user = options.user ?? (await records.users.findByEmail(`${userName.toLowerCase()}@example.org`))
  if (user === null) throw new Error(`there is no ${userName}`)
  const made = await (options.application === undefined
    ? oauth.applications.create({ ownerId: user.id, name: 'Notes', type, redirectUris, ...(scopes && { scopes }) })
    : { application: options.application, secret: options.secret ?? null })
  const { application, secret } = made
  const redirectUri = redirectUris[0] ?? ''
  const secrets = new Set(secret === null ? [] : [secret])

  async function post(path: string, fields: Record<string, string | undefined>): Promise<ApiAnswer<Record<string, unknown>>> {
    const sent: Record<string, string | undefined> = { client_id: application.id, client_secret: secret ?? undefined, ...fields }
    const given = Object.entries(sent).filter((field): field is [string, string] => field[1] !== undefined)
    const answer = await app.stranger.call('POST', path, { body: new URLSearchParams(given) })
    for (const name of ['access_token', 'refresh_token', 'device_code', 'user_code']) {
      const value = answer.body[name]
      if (typeof value === 'string') secrets.add(value)
    }
    expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
    return answer
  }

  const flow: OAuthFlow = {
    application,
    secret,
    user,
    secrets,
    async agree(query = {}) {
      const outcome = await oauth.authorize.begin(
        { response_type: 'code', client_id: application.id, redirect_uri: redirectUri, ...query },
        { userId: user.id },
      )
      if (outcome.kind !== 'ask') throw new Error(`no consent is asked for: ${JSON.stringify(outcome)}`)
      const { location } = await oauth.authorize.approve(outcome.request, user)
      return new URL(location).searchParams
    },
    async code(query) {
      const code = (await flow.agree(query)).get('code') ?? ''
      secrets.add(code)
      return code
    },
    token: (fields) => post('/api/oauth/token', fields) as Promise<ApiAnswer<unknown>> as Promise<ApiAnswer<TokenReply>>,
    exchange: (code, fields) => flow.token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...fields }),
    refresh: (refreshToken, fields) => flow.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...fields }),
    async tokens(query = {}) {
      const { verifier, query: challenge } = pkce()
      const { status, body } = await flow.exchange(await flow.code({ ...challenge, ...query }), { code_verifier: verifier })
      expect([status, body.error_description]).toEqual([200, undefined])
      return body as Required<TokenAnswer>
    },
    post,
    api: (accessToken, path = '/api/v1/me') =>
      app.stranger.call('GET', path, { headers: { Authorization: `Bearer ${accessToken}` } }),
  }
  return flow
}
