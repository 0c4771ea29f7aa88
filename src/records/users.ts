import type { QuotaChange, Usage, User } from '../core/model.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export interface Users {
  /**
   * Throws `user_exists` when another user has the address (upper and lower case count as the same), and `owner_exists` for a
   * second owner.
   */
  create(user: { name: string; email: string | null; role: User['role'] }): Promise<User>
  get(id: string): Promise<User | null>
  owner(): Promise<User | null>
  findByEmail(email: string): Promise<User | null>
  /** Oldest first. */
  list(request: ListRequest): Promise<ResultPage<User>>
  /** Returns the usage of each of these users. */
  usage(ids: readonly string[]): Promise<Map<string, Usage>>
  /** Counts all users, and the documents and bytes that count towards their quotas. */
  totals(): Promise<{ users: number; disabled: number; documents: number; bytes: number }>
  /** Returns null when there is no such user. Throws `user_exists`. */
  update(id: string, change: { name?: string; email?: string; quotas?: QuotaChange }): Promise<User | null>
  /** Returns the password's hash as a PHC string, or null when there is no such user or no password yet. */
  passwordHash(id: string): Promise<string | null>
  /**
   * Stores a password's hash. With `replacing`, only where that hash is still the stored one: hashing the same password again
   * must not undo a change of the password.
   */
  setPasswordHash(id: string, phc: string, replacing?: string): Promise<void>
  /**
   * Disabling a user ends the user's sessions, one-time links and grants in the same transaction. API keys stay, but
   * `Keys.findByHash` doesn't return them. Returns null when there is no such user. Throws `owner_stays` for the owner.
   */
  setDisabled(id: string, disabled: boolean): Promise<User | null>
  /**
   * Deletes a user with private projects and their documents (each leaves a tombstone), keys, sessions, applications and grants. A
   * project with another manager stays, and the earliest of them becomes its owner. A project with other members but no manager stays
   * without a manager, and the owner of the instance becomes its owner, but no member. Returns the ids of the deleted documents, or null when there is no such user. Throws `owner_stays` for the owner.
   */
  delete(id: string): Promise<{ documentIds: string[] } | null>
}
