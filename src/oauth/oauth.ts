import type { OAuthErrorCode } from '../core/errors.ts'
import type { OAuthClientRecord, Scope, User } from '../core/model.ts'
import type { ClientChange } from '../records/oauth-records.ts'

/**
 * The authorization server, over the records; it knows no Koa and no cookies. Issuer is `--public-url` or the address listened on.
 * Its errors towards applications are OAuthError; http/oauth/ and http/web/ turn them into answers.
 */
export interface OAuth {
  clients: ClientRegistry
  authorize: Authorize
  /** POST /api/oauth/token, whatever the grant. `credentials` comes from Basic or the body. */
  token(request: ClientRequest): Promise<TokenAnswer>
  /** RFC 7009. An unknown token is no error. */
  revoke(request: ClientRequest): Promise<void>
  /** RFC 7662. `{active: false}` for everything that is not a good token of this very client. */
  introspect(request: ClientRequest): Promise<Record<string, unknown>>
  device: Device
  connections: Connections
  /** RFC 8414, for `/.well-known/oauth-authorization-server`. */
  serverMetadata(): Record<string, unknown>
  /** RFC 9728, for `/.well-known/oauth-protected-resource`. */
  resourceMetadata(): Record<string, unknown>
}

/** A request to token, revocation, introspection or device endpoint: parsed fields (each at most once, text only) and Basic credentials. */
export interface ClientRequest {
  /** Own prototype-less object. From JSON or a form, never from the query. */
  fields: Readonly<Record<string, string>>
  /** Of `Authorization: Basic`, percent-decoded as RFC 6749 section 2.3.1 says; null when there was none. */
  basic: { id: string; secret: string } | null
}

export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token?: string
  scope: string
}

export interface Authorize {
  /**
   * Looks at the parameters of GET /api/oauth/authorize; a parameter sent twice is an array there.
   * `page`: never redirect, show this (RFC 9700). `redirect`: to the application, with error, error_description, state, iss.
   * `ask`: show the consent page. Nothing is stored until approve.
   */
  begin(query: Readonly<Record<string, string | string[] | undefined>>): Promise<AuthorizeOutcome>
  /** The user agreed to what `begin` said of the same query: a new code, and where to go with it. */
  approve(request: AuthorizeRequest, user: User): Promise<{ location: string }>
  /** The user declined: access_denied. */
  deny(request: AuthorizeRequest): { location: string }
}

export type AuthorizeOutcome =
  | { kind: 'page'; error: OAuthErrorCode; description: string }
  | { kind: 'redirect'; location: string }
  | { kind: 'ask'; request: AuthorizeRequest }

export interface AuthorizeRequest {
  client: Pick<OAuthClientRecord, 'id' | 'name' | 'type'>
  /** As sent, already matched against the registered ones. */
  redirectUri: string
  scopes: Scope[]
  state: string | null
  codeChallenge: string | null
  resource: string | null
}

export interface Device {
  /** POST /api/oauth/device (RFC 8628 section 3.1). */
  start(request: ClientRequest): Promise<{
    device_code: string
    /** Two groups of four letters, e.g. `BCDF-GHJK`. */
    user_code: string
    verification_uri: string
    verification_uri_complete: string
    expires_in: number
    interval: number
  }>
  /** What a user code asks for; null when there is none pending. Case, spaces and hyphens do not matter. */
  lookup(userCode: string): Promise<{ client: Pick<OAuthClientRecord, 'id' | 'name' | 'type'>; scopes: Scope[] } | null>
  /** False when it is no longer pending. */
  decide(userCode: string, user: User, approve: boolean): Promise<boolean>
}

/** What a user has connected, by application. */
export interface Connection {
  client: Pick<OAuthClientRecord, 'id' | 'name' | 'type'>
  scopes: Scope[]
  since: Date
  lastUsedAt: Date | null
}

export interface Connections {
  list(userId: string): Promise<Connection[]>
  /** All of the application's tokens for this user are dead at once. False when there was nothing. */
  end(userId: string, clientId: string): Promise<boolean>
}

export interface NewClient {
  ownerId: string
  name: string
  type: OAuthClientRecord['type']
  redirectUris: readonly string[]
  /** What it may ask for at most; DEFAULT_SCOPES without it. */
  scopes?: readonly Scope[]
}

export interface ClientRegistry {
  /**
   * Throws DocsearchError `invalid_redirect_uri` naming the address and what is wrong with it: not absolute, a fragment, userinfo, a scheme that is
   * neither https, http on loopback, nor an application's own reverse-domain one (`com.example.app:/…`); and `invalid_name`, `too_many_redirect_uris`.
   */
  create(client: NewClient): Promise<{ client: OAuthClientRecord; secret: string | null }>
  /** Built-in ones too. */
  get(id: string): Promise<OAuthClientRecord | null>
  list(ownerId: string): Promise<OAuthClientRecord[]>
  update(ownerId: string, id: string, change: ClientChange): Promise<OAuthClientRecord | null>
  /** A new secret; the old ones stay good for `graceSeconds`, 0 to 30 days, default one day. Null when not there; DocsearchError `client_is_public`. */
  rotate(
    ownerId: string,
    id: string,
    graceSeconds?: number,
  ): Promise<{ client: OAuthClientRecord; secret: string; oldUntil: Date } | null>
  delete(ownerId: string, id: string): Promise<boolean>
}
