import type { OAuthErrorCode } from '../core/errors.ts'
import type { ApplicationRecord, ProjectLimit, Scope, User } from '../core/model.ts'
import type { ApplicationChange } from '../records/oauth.ts'

/**
 * The authorization server. It knows nothing of Koa and cookies: it throws OAuthError, which http/oauth/ and http/web/ turn into answers.
 * The issuer is `--public-url` or the address the daemon listens on.
 */
export interface OAuth {
  applications: ApplicationRegistry
  authorize: Authorize
  /** POST /api/oauth/token, for every grant. */
  token(request: ApplicationRequest): Promise<TokenAnswer>
  /** RFC 7009. An unknown token is not an error. */
  revoke(request: ApplicationRequest): Promise<void>
  /** RFC 7662. Returns `{active: false}` for everything but a valid token of this application. */
  introspect(request: ApplicationRequest): Promise<Record<string, unknown>>
  /** RFC 7591. Throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata`, and `access_denied` where the operator turned it off. */
  register(registration: Registration): Promise<RegisteredApplication>
  device: Device
  connections: Connections
  /** RFC 8414, for `/.well-known/oauth-authorization-server`. */
  serverMetadata(): Record<string, unknown>
  /** RFC 9728, for `/.well-known/oauth-protected-resource` and the path of a resource behind it. */
  resourceMetadata(path: '' | '/mcp'): Record<string, unknown>
}

/** A request to the token, revocation, introspection or device endpoint. */
export interface ApplicationRequest {
  /** The fields of the JSON or form body, each at most once, in an object without prototype. Never from the query. */
  fields: Readonly<Record<string, string>>
  /** From `Authorization: Basic`, percent-decoded (RFC 6749 section 2.3.1); null without that header. */
  basic: { id: string; secret: string } | null
}

/** What an application says of itself (RFC 7591 section 2). Other fields have no effect. */
export interface Registration {
  redirect_uris?: readonly string[] | undefined
  client_name?: string | undefined
  grant_types?: readonly string[] | undefined
  response_types?: readonly string[] | undefined
  scope?: string | undefined
}

/** What was registered (RFC 7591 section 3.2.1). */
export interface RegisteredApplication {
  client_id: string
  /** Seconds since 1970. */
  client_id_issued_at: number
  client_name: string
  redirect_uris: string[]
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: 'none'
  scope: string
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
   * Checks the parameters of GET /api/oauth/authorize, in which a parameter that was sent twice is an array. Stores nothing. Returns what to do:
   * `page` shows an error and must not redirect (RFC 9700); `redirect` sends the error to the application; `ask` shows the consent page;
   * `log_in` asks the visitor to log in first, because only users may make docsearch fetch the document of an application. Anybody can
   * register an application, so `redirect` is only for applications that a user registered, the built-in one, and those to which this
   * user has given access. `userId` is null for a visitor who is not logged in.
   */
  begin(
    query: Readonly<Record<string, string | string[] | undefined>>,
    options: { userId: string | null },
  ): Promise<AuthorizeOutcome>
  /** The user agreed. Creates a code and returns the address to redirect to. By default, access is not limited to projects. */
  approve(request: AuthorizeRequest, user: Pick<User, 'id'>, projectIds?: ProjectLimit): Promise<{ location: string }>
  /** The user declined. Returns the address to redirect to, with `access_denied`. */
  deny(request: AuthorizeRequest): { location: string }
}

export type AuthorizeOutcome =
  | {
      kind: 'page'
      error: OAuthErrorCode
      description: string
      /** The address at which the application gets the error, if the user goes there. Null if no known application has registered it. */
      location: string | null
    }
  | { kind: 'redirect'; location: string }
  | { kind: 'ask'; request: AuthorizeRequest }
  | { kind: 'log_in' }

export interface AuthorizeRequest {
  application: Pick<ApplicationRecord, 'id' | 'name' | 'type' | 'ownerId' | 'redirectUris' | 'scopes'>
  /** As sent, after a comparison with the registered addresses. */
  redirectUri: string
  scopes: Scope[]
  state: string | null
  codeChallenge: string | null
  resource: string | null
}

export interface Device {
  /** POST /api/oauth/device (RFC 8628 section 3.1). */
  start(request: ApplicationRequest): Promise<{
    device_code: string
    /** Two groups of four letters, e.g. `BCDF-GHJK`. */
    user_code: string
    verification_uri: string
    verification_uri_complete: string
    expires_in: number
    interval: number
  }>
  /** Returns what the device with this user code asks for; null if no such device waits. Case, spaces and hyphens don't matter. */
  lookup(userCode: string): Promise<Pick<AuthorizeRequest, 'application' | 'scopes'> | null>
  /** Returns false if the device no longer waits. By default, access is not limited to projects. */
  decide(userCode: string, user: Pick<User, 'id'>, approve: boolean, projectIds?: ProjectLimit): Promise<boolean>
}

/** An application that a user has connected. */
export interface Connection {
  application: Pick<ApplicationRecord, 'id' | 'name' | 'type'>
  scopes: Scope[]
  /** All projects to which one of the consents gives access; null when one of them has no limit. */
  projectIds: ProjectLimit
  since: Date
  lastUsedAt: Date | null
}

export interface Connections {
  list(userId: string): Promise<Connection[]>
  /** Revokes all tokens of the application for this user. Returns false if there were none. */
  end(userId: string, clientId: string): Promise<boolean>
}

export interface NewApplication {
  ownerId: string
  name: string
  type: ApplicationRecord['type']
  redirectUris: readonly string[]
  /** The most it may ask for. Default: DEFAULT_SCOPES. */
  scopes?: readonly Scope[]
}

export interface ApplicationRegistry {
  /**
   * Throws DocsearchError `invalid_name`, `too_many_redirect_uris`, or `invalid_redirect_uri` for an address that is not absolute, has a fragment or
   * userinfo, or a scheme other than https, http on loopback, or an application's own reverse-domain scheme (`com.example.app:/…`).
   */
  create(application: NewApplication): Promise<{ application: ApplicationRecord; secret: string | null }>
  /** Also returns built-in applications. */
  get(id: string): Promise<ApplicationRecord | null>
  list(ownerId: string): Promise<ApplicationRecord[]>
  update(ownerId: string, id: string, change: ApplicationChange): Promise<ApplicationRecord | null>
  /**
   * Makes a new secret. The old ones work for another `graceSeconds`, 0 to 30 days, by default one day. Returns null if there is no such application.
   * Throws DocsearchError `client_is_public`.
   */
  rotate(
    ownerId: string,
    id: string,
    graceSeconds?: number,
  ): Promise<{ application: ApplicationRecord; secret: string; oldUntil: Date } | null>
  delete(ownerId: string, id: string): Promise<boolean>
}
