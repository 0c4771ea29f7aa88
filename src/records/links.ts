import type { LinkPurpose, User } from '../core/model.ts'

/** Links that let a user choose a password, once. Only the SHA-256 of a link's token is stored. */
export interface OneTimeLinks {
  create(link: { userId: string; purpose: LinkPurpose; sha256: string; expiresAt: Date }): Promise<void>
  /** Returns a link without using it. Null when it is unknown, used or expired, or its user is disabled. */
  find(sha256: string): Promise<{ userId: string; purpose: LinkPurpose; expiresAt: Date } | null>
  /**
   * Uses a link: sets the password, and the name and address where given, and ends the user's sessions and other links, all in
   * one transaction. If several callers claim it at the same time, one succeeds. Returns null where `find` does. Throws `user_exists`; the
   * link can then still be used.
   */
  claim(sha256: string, account: { passwordHash: string; email?: string; name?: string }): Promise<User | null>
  /** Deletes the user's unused links. */
  revokeAll(userId: string): Promise<void>
  /** Deletes expired links. Returns how many. */
  sweep(): Promise<number>
}
