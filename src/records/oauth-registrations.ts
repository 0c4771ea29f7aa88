import type { ApplicationRecord, Scope } from '../core/model.ts'

/** A registration that nobody has used for this long is deleted. */
export const KEEP_UNUSED_MS = 24 * 60 * 60 * 1000

/** Applications that registered themselves (RFC 7591). They are public, and have no owner and no secret. */
export interface OAuthRegistrations {
  /**
   * Stores an application. Keeps only the newest `maxUnused` of the applications to which nobody has given access, so that a stranger cannot
   * fill the disk. A code or a device code that waits for its application counts as access.
   */
  create(
    application: { name: string; redirectUris: readonly string[]; scopes: readonly Scope[] },
    maxUnused: number,
  ): Promise<ApplicationRecord>
  /** Stores an application under an ID that docsearch did not choose, or replaces what is stored there. Counts as new for its expiry. */
  put(application: Pick<ApplicationRecord, 'id' | 'name' | 'redirectUris' | 'scopes'>): Promise<void>
  get(id: string): Promise<ApplicationRecord | null>
}
