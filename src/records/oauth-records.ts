import type { GrantRecord, OAuthClientRecord, Scope } from '../core/model.ts'

/**
 * What OAuth keeps. Secrets, codes and tokens come in as SHA-256 in hex and nothing else. Every claim is one conditional statement
 * (`UPDATE … WHERE used_at IS NULL … RETURNING`), with what follows from it in the same transaction: of two processes that try at once, one wins.
 * `docsearch-cli` is built in and has no row in `clients`; codes and grants name it all the same.
 */
export interface OAuthRecords {
  clients: OAuthClients
  codes: OAuthCodes
  grants: OAuthGrants
  devices: OAuthDevices
  /** Codes, tokens, device codes and revoked grants whose time has long passed go. Returns how many rows. */
  sweep(): Promise<number>
}

/** What is left out stays. */
export interface ClientChange {
  name?: string
  redirectUris?: readonly string[]
  scopes?: readonly Scope[]
}

export interface OAuthClients {
  create(client: {
    ownerId: string
    name: string
    type: OAuthClientRecord['type']
    redirectUris: readonly string[]
    scopes: readonly Scope[]
    /** For a confidential client. */
    secret: { sha256: string; lastFour: string } | null
  }): Promise<OAuthClientRecord>
  /** By `client_id`, whoever owns it. */
  get(id: string): Promise<OAuthClientRecord | null>
  /** Newest first. */
  list(ownerId: string): Promise<OAuthClientRecord[]>
  /** Null when it is not there or somebody else's. */
  update(ownerId: string, id: string, change: ClientChange): Promise<OAuthClientRecord | null>
  /** A new secret; those before it are good until `oldUntil` at the latest. Null when not there or public. */
  rotate(
    ownerId: string,
    id: string,
    secret: { sha256: string; lastFour: string },
    oldUntil: Date,
  ): Promise<OAuthClientRecord | null>
  /** True when this secret is one of the client's and still good. */
  hasSecret(id: string, sha256: string): Promise<boolean>
  /** Its grants, codes and tokens go with it. */
  delete(ownerId: string, id: string): Promise<boolean>
}

export interface NewTokens {
  access: { sha256: string; expiresAt: Date }
  /** Null where none is given out. */
  refresh: { sha256: string; expiresAt: Date } | null
  /** Of the access token: those of the grant, or fewer. */
  scopes: readonly Scope[]
}

export interface CodeRecord {
  clientId: string
  userId: string
  redirectUri: string
  scopes: Scope[]
  /** S256 challenge of PKCE (RFC 7636); null when the request had none. */
  codeChallenge: string | null
  resource: string | null
  expiresAt: Date
  /** The family of the tokens it was exchanged for; null while unused. */
  grantId: string | null
}

export interface OAuthCodes {
  create(code: Omit<CodeRecord, 'grantId'> & { sha256: string }): Promise<void>
  /** Used and expired ones too, as long as they are kept. */
  find(sha256: string): Promise<CodeRecord | null>
  /**
   * Uses the code up and makes the grant and its first tokens, all in one transaction. Null when it was used, expired, or its user is
   * disabled or gone: nothing was made then.
   */
  redeem(sha256: string, tokens: NewTokens): Promise<GrantRecord | null>
}

export interface TokenRecord {
  kind: 'access' | 'refresh'
  grant: GrantRecord
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date
  /** Refresh tokens only: it was exchanged for another one. */
  isUsed: boolean
}

export interface OAuthGrants {
  /** Access or refresh token by its hash, also an expired, used or revoked one as long as it is kept: the caller decides. */
  findToken(sha256: string): Promise<TokenRecord | null>
  /** An access token that is good now: not expired, grant not revoked, user not disabled. */
  findAccess(sha256: string): Promise<TokenRecord | null>
  /**
   * Uses a refresh token of this client up and makes the next pair in one transaction; access tokens of the grant that came before
   * are ended. Null when it was used, expired, revoked or another client's: nothing was made then.
   */
  refresh(sha256: string, clientId: string, tokens: NewTokens): Promise<GrantRecord | null>
  /** The whole family is dead: every token of it. False when it was already or is not there. */
  revoke(grantId: string): Promise<boolean>
  /** All of a user's for one client; how many. */
  revokeAll(userId: string, clientId: string): Promise<number>
  /** Those that can still give access (a token not expired), newest first. */
  list(userId: string): Promise<GrantRecord[]>
  /** Last used, written at most once a minute. */
  touch(grantId: string): Promise<void>
}

export interface DeviceRecord {
  clientId: string
  scopes: Scope[]
  resource: string | null
  status: 'pending' | 'approved' | 'denied' | 'redeemed'
  userId: string | null
  expiresAt: Date
  intervalSeconds: number
  lastPolledAt: Date | null
}

/** RFC 8628. Device code and user code are both stored as hashes. */
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
  /** A pending one that has not expired. */
  findByUserCode(userSha256: string): Promise<DeviceRecord | null>
  /** In one statement; false when it is no longer pending or has expired. */
  decide(userSha256: string, decision: { userId: string; approve: boolean }): Promise<boolean>
  find(deviceSha256: string): Promise<DeviceRecord | null>
  /** Notes a poll; true when it came sooner than the interval, which then grows by five seconds (RFC 8628 section 3.5). */
  poll(deviceSha256: string): Promise<boolean>
  /** An approved one becomes redeemed, with its grant and tokens, in one transaction; null when it is anything else. */
  redeem(deviceSha256: string, tokens: NewTokens): Promise<GrantRecord | null>
}
