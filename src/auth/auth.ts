import type { ApiKeyRecord, Principal, Scope } from '../core/model.ts'

/** One kind of credential. OAuth access tokens join API keys by being a second one of these. */
export interface CredentialChecker {
  /** Null when the credential is not of this kind, unknown, revoked or expired. */
  check(credential: string): Promise<Principal | null>
}

export interface Authenticator {
  /** The checkers in order; null when none knows the credential. */
  authenticate(credential: string): Promise<Principal | null>
}

export interface ApiKeys extends CredentialChecker {
  /**
   * Makes a key: `dsk_`, 30 base62 random characters, 6 base62 characters of the CRC32 over what precedes them. It is returned this once; only its SHA-256 is kept.
   * Who may make which key is decided in services/access.ts.
   */
  create(request: {
    ownerId: string
    name: string
    scopes: readonly Scope[]
    expiresAt: Date | null
  }): Promise<{ key: string; record: ApiKeyRecord }>
}
