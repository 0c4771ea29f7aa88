import type { GrantRecord, ProjectLimit, Scope } from '../core/model.ts'
import type { NewTokens } from './oauth-grants.ts'

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
