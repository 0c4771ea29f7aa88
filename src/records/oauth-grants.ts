import type { GrantRecord, Scope } from '../core/model.ts'

/** Tokens to store with a grant: only their SHA-256. */
export interface NewTokens {
  access: { sha256: string; expiresAt: Date }
  /** Null when the application gets no refresh token. */
  refresh: { sha256: string; expiresAt: Date } | null
  /** The scopes of the access token: the grant's, or fewer. */
  scopes: readonly Scope[]
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
