import type { ApplicationRecord, GrantRecord, ProjectLimit, Scope } from '../core/model.ts'

/** Codes, tokens and secrets are kept this long after they expired, so that their late use gets a precise answer. */
export const KEEP_EXPIRED_MS = 24 * 60 * 60 * 1000

/**
 * What OAuth stores. Secrets, codes and tokens arrive as SHA-256 in hex. Using a code or token and what follows from it is one
 * transaction: of several attempts at the same time, one succeeds. The built-in application `docsearch-cli` is not in `applications`;
 * codes and grants name it all the same.
 */
export interface OAuthRecords {
  applications: OAuthApplications
  registrations: OAuthRegistrations
  codes: OAuthCodes
  grants: OAuthGrants
  devices: OAuthDevices
  /**
   * Deletes what expired more than `KEEP_EXPIRED_MS` ago: codes, device codes, tokens, secrets, and grants without tokens; and unused
   * registrations older than `KEEP_UNUSED_MS`.
   * Returns how many rows.
   */
  sweep(): Promise<number>
}

/** A field that is left out stays as it is. */
export interface ApplicationChange {
  name?: string
  redirectUris?: readonly string[]
  scopes?: readonly Scope[]
}

/** The SHA-256 of an application's secret, and what the owner sees of it. */
export interface ApplicationSecret {
  sha256: string
  lastFour: string
}

/** Applications that users may give access to their documents. */
export interface OAuthApplications {
  create(application: {
    ownerId: string
    name: string
    type: ApplicationRecord['type']
    redirectUris: readonly string[]
    scopes: readonly Scope[]
    /** Null for a public application. */
    secret: ApplicationSecret | null
  }): Promise<ApplicationRecord>
  /** Finds an application of any owner by its `client_id`. */
  get(id: string): Promise<ApplicationRecord | null>
  /** Newest first. */
  list(ownerId: string): Promise<ApplicationRecord[]>
  /** Returns null when the owner has no such application. */
  update(ownerId: string, id: string, change: ApplicationChange): Promise<ApplicationRecord | null>
  /**
   * Adds a new secret. Earlier secrets work until `oldUntil` at the latest. Returns null for a public application, and where
   * `update` does.
   */
  rotate(ownerId: string, id: string, secret: ApplicationSecret, oldUntil: Date): Promise<ApplicationRecord | null>
  /** Returns true when the application has this secret and it has not expired. */
  hasSecret(id: string, sha256: string): Promise<boolean>
  /**
   * Deletes an application with all users' grants, codes and tokens for it. Returns false when the owner has no such application.
   */
  delete(ownerId: string, id: string): Promise<boolean>
}

/** A registration that nobody has used for this long is deleted. */
export const KEEP_UNUSED_MS = 24 * 60 * 60 * 1000

/** Applications that registered themselves (RFC 7591). They are public, and have no owner and no secret. */
export interface OAuthRegistrations {
  /**
   * Stores an application. Keeps only the newest `maxUnused` of the applications to which nobody has given access, so that a stranger cannot
   * fill the disk. A code or a device code that waits for its application counts as access.
   */
  create(
    application: { name: string; redirectUris: readonly string[]; scopes: readonly Scope[]; grantTypes?: readonly string[] },
    maxUnused: number,
  ): Promise<ApplicationRecord>
  /** Stores an application under an ID that docsearch did not choose, or replaces what is stored there. Counts as new for its expiry. */
  put(application: Pick<ApplicationRecord, 'id' | 'name' | 'redirectUris' | 'scopes' | 'grantTypes'>): Promise<void>
  get(id: string): Promise<ApplicationRecord | null>
}

/** Tokens to store with a grant: only their SHA-256. */
export interface NewTokens {
  access: { sha256: string; expiresAt: Date }
  /** Null when the application gets no refresh token. */
  refresh: { sha256: string; expiresAt: Date } | null
  /** The scopes of the access token: the grant's, or fewer. */
  scopes: readonly Scope[]
  /** For the first tokens of a grant: the resource that the token request named, if the consent has none (RFC 8707). */
  resource?: string | null
  /** The encrypted answer of a refresh, which the used token keeps. */
  sealed?: string
}

export interface TokenRecord {
  kind: 'access' | 'refresh'
  grant: GrantRecord
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date
  /** True for a refresh token that was exchanged for the next one. */
  isUsed: boolean
  /** When a refresh token was exchanged, and the encrypted answer. Null for other tokens, and after an exchange by an older version. */
  successor: { sealed: string; at: Date } | null
}

/** What users have allowed applications. A grant owns all tokens that come from one consent. */
export interface OAuthGrants {
  /**
   * Finds an access or refresh token by its hash, also when it is expired, used or revoked: the caller decides what that means.
   */
  findToken(sha256: string): Promise<TokenRecord | null>
  /** Finds an access token that is valid now: not expired, its grant not revoked, its user not disabled. */
  findAccess(sha256: string): Promise<TokenRecord | null>
  /** Returns the hashes for which `findAccess` finds a token. */
  findValidAccess(sha256s: readonly string[]): Promise<Set<string>>
  /**
   * Uses a refresh token of this application: stores the next pair of tokens and ends the grant's earlier access tokens, in one
   * transaction. Returns null, and changes nothing, when the token is used, expired, revoked or another application's.
   */
  refresh(sha256: string, clientId: string, tokens: NewTokens): Promise<GrantRecord | null>
  /** Revokes a grant and with it all its tokens. Returns false when it is revoked already or unknown. */
  revoke(grantId: string): Promise<boolean>
  /** Revokes all grants of a user for one application. Returns how many. */
  revokeAll(userId: string, clientId: string): Promise<number>
  /** Returns the user's grants that have a token with which the application still gets access. Newest first. */
  list(userId: string): Promise<GrantRecord[]>
  /** Sets the time of the last use. Writes at most once a minute for each grant. */
  touch(grantId: string): Promise<void>
}

export interface CodeRecord {
  clientId: string
  userId: string
  redirectUri: string
  scopes: Scope[]
  projectIds: ProjectLimit
  /** The S256 challenge of PKCE (RFC 7636); null when the request had none. */
  codeChallenge: string | null
  resource: string | null
  expiresAt: Date
  /** The grant that the code was exchanged for; null while the code is unused. */
  grantId: string | null
}

/** Authorization codes (RFC 6749 section 4.1). */
export interface OAuthCodes {
  create(code: Omit<CodeRecord, 'grantId'> & { sha256: string }): Promise<void>
  /** Also returns used and expired codes, until a sweep deletes them. */
  find(sha256: string): Promise<CodeRecord | null>
  /**
   * Uses a code: makes the grant and its first tokens, in one transaction. Returns null, and changes nothing, when the code is
   * used or expired, or its user is disabled or deleted.
   */
  redeem(sha256: string, tokens: NewTokens): Promise<GrantRecord | null>
}

/** Seconds that a poll that comes too soon adds to the interval (RFC 8628 section 3.5). */
export const SLOW_DOWN_SECONDS = 5

export interface DeviceRecord {
  clientId: string
  scopes: Scope[]
  /** Null until the user decides. */
  projectIds: ProjectLimit
  resource: string | null
  status: 'pending' | 'approved' | 'denied' | 'redeemed'
  userId: string | null
  expiresAt: Date
  intervalSeconds: number
  lastPolledAt: Date | null
}

/** Device codes (RFC 8628). The device code and the user code are both stored as hashes. */
export interface OAuthDevices {
  create(device: {
    deviceSha256: string
    userSha256: string
    clientId: string
    scopes: readonly Scope[]
    resource: string | null
    expiresAt: Date
    intervalSeconds: number
  }): Promise<void>
  /** Returns null when the device code is no longer pending or has expired. */
  findByUserCode(userSha256: string): Promise<DeviceRecord | null>
  /** Records the user's decision. Returns false when the device code is no longer pending or has expired. */
  decide(userSha256: string, decision: { userId: string; approve: boolean; projectIds: ProjectLimit }): Promise<boolean>
  /** Also returns device codes that are redeemed or expired, until a sweep deletes them. */
  find(deviceSha256: string): Promise<DeviceRecord | null>
  /** Records a poll. Returns true when it came before the interval was over; the interval then grows by `SLOW_DOWN_SECONDS`. */
  poll(deviceSha256: string): Promise<boolean>
  /**
   * Turns an approved device code into a grant with its first tokens, in one transaction. Returns null when it is not approved or
   * has expired.
   */
  redeem(deviceSha256: string, tokens: NewTokens): Promise<GrantRecord | null>
}
