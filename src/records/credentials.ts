import type { SessionRecord, User, ApiKeyRecord, ProjectLimit, KeyScope, LinkPurpose } from '../core/model.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

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

/** API keys. Only the SHA-256 of a whole key is stored, in hex. */
export interface Keys {
  /** Throws `too_many_keys` if the owner has `maxKeys` valid keys. Deletes the keys that expired first if the new key needs room. */
  create(key: {
    ownerId: string
    name: string
    sha256: string
    lastFour: string
    scopes: readonly KeyScope[]
    projectIds: ProjectLimit
    expiresAt: Date | null
    maxKeys: number
  }): Promise<ApiKeyRecord>
  /** Returns null when the key is unknown or expired, or its user is disabled. */
  findByHash(sha256: string): Promise<ApiKeyRecord | null>
  /** Returns the hashes for which `findByHash` finds a key. */
  findValid(sha256s: readonly string[]): Promise<Set<string>>
  /** Sets the time of the last use. Writes at most once a minute for each key. */
  touch(id: string): Promise<void>
  /** Newest first. */
  list(ownerId: string, page: ListRequest): Promise<ResultPage<ApiKeyRecord>>
  /** Returns false when the owner has no such key. */
  delete(ownerId: string, id: string): Promise<boolean>
}

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
