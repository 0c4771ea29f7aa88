import type { Audit } from './audit.ts'
import type { Backups } from './backups.ts'
import type { Documents, Trash } from './documents.ts'
import type { Events } from './events.ts'
import type { Indexes } from './indexes.ts'
import type { Keys, Sessions, OneTimeLinks } from './credentials.ts'
import type { Members, Projects } from './projects.ts'
import type { Messages } from './messages.ts'
import type { OAuthRecords } from './oauth.ts'
import type { Originals } from './originals.ts'
import type { Queue } from './queue.ts'
import type { SavedSearches } from './saved-searches.ts'
import type { Synonyms } from './synonyms.ts'
import type { Users } from './users.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { Webhooks } from './webhooks.ts'

export type * from './audit.ts'
export type * from './backups.ts'
export type * from './documents.ts'
export type * from './events.ts'
export type * from './indexes.ts'
export type * from './messages.ts'
export type * from './originals.ts'
export type * from './projects.ts'
export type * from './queue.ts'
export type * from './result-page.ts'
export type * from './synonyms.ts'
export type * from './vocabulary.ts'
export type * from './webhooks.ts'

/**
 * The truth about everything except the bytes of the originals. Each noun is an interface in a separate file; sql/ implements
 * them. A method that takes the ids of an owner or of projects sees only what belongs to them: everything else is null or missing,
 * as if it did not exist. A method that writes is one transaction: when it throws, nothing has changed. Once it returns, the change survives a power cut, unless
 * the method says otherwise.
 */
export interface Records {
  users: Users
  links: OneTimeLinks
  sessions: Sessions
  keys: Keys
  oauth: OAuthRecords
  projects: Projects
  members: Members
  documents: Documents
  trash: Trash
  messages: Messages
  originals: Originals
  queue: Queue
  events: Events
  audit: Audit
  indexes: Indexes
  vocabulary: Vocabulary
  synonyms: Synonyms
  savedSearches: SavedSearches
  webhooks: Webhooks
  backups: Backups
  /**
   * Returns a number that grows whenever users, their credentials or their applications may have changed, in this process or another one.
   * Callers ask for it before each use of remembered values. The call costs almost nothing on SQLite, and on PostgreSQL within a `Moment` for which
   * the versions have been read. The time of the last use of a credential doesn't count as a change.
   */
  credentialsVersion(): number | Promise<number>
  /** Reads and writes without changing anything, to see whether the database works. Never throws. */
  check(): Promise<{ ok: boolean; message: string }>
  close(): Promise<void>
}
