import type { SessionRecord, User } from '../core/model.ts'

/** Logins of browsers. No method returns an expired session. */
export interface Sessions {
  /** Sets the user's last login in the same transaction. */
  create(session: { userId: string; sha256: string; userAgent: string; address: string; expiresAt: Date }): Promise<SessionRecord>
  /** Returns null when the session is unknown or expired, or its user is disabled. */
  findByHash(sha256: string): Promise<{ session: SessionRecord; user: User } | null>
  /** Returns the hashes for which `findByHash` finds a session. */
  findValid(sha256s: readonly string[]): Promise<Set<string>>
  /** Sets the time of the last request, and moves the expiry. Writes at most once a minute for each session. */
  touch(id: string, expiresAt: Date): Promise<void>
  /** Newest first. */
  list(userId: string): Promise<SessionRecord[]>
  /** Returns false when the user has no such session. */
  delete(userId: string, id: string): Promise<boolean>
  /** Ends the user's sessions except `exceptId`, for example after a change of the password. Returns how many it ended. */
  deleteOthers(userId: string, exceptId: string | null): Promise<number>
  /** Deletes expired sessions. Returns how many. */
  sweep(): Promise<number>
}
