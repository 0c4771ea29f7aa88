import type { ApiKeyRecord, Principal, ProjectLimit, KeyScope } from '../core/model.ts'

/** Checks one kind of credential: API keys or OAuth access tokens. */
export interface CredentialChecker {
  /** Returns null if the credential is of another kind, unknown, revoked or expired. */
  check(credential: string): Promise<Principal | null>
}

export interface Authenticator {
  /** Returns null if no checker accepts the credential. */
  authenticate(credential: string): Promise<Principal | null>
}

export interface ApiKeys extends CredentialChecker {
  /**
   * Creates a key. The key is returned only once; the records keep its SHA-256. services/access.ts decides who may create which key.
   */
  create(request: {
    ownerId: string
    name: string
    scopes: readonly KeyScope[]
    /** Default: no limit. */
    projectIds?: ProjectLimit
    expiresAt: Date | null
  }): Promise<{ key: string; record: ApiKeyRecord }>
}
