import type { DocumentEvent } from '../core/model.ts'

/** The number of newest events to store for each user. A listener can resume if it has missed fewer. */
export const MAX_EVENTS = 20_000

/**
 * Changes of documents, in the order in which they were committed. Each owner has a separate sequence of ids, so an id reveals
 * nothing about other users. When the records open, every sequence jumps to at least the current time in milliseconds. So no id
 * is used again after a restore from a backup.
 */
export interface Events {
  /** Returns up to `limit` events of the owner after `afterId`, oldest first. */
  since(ownerId: string, afterId: number, limit: number): Promise<DocumentEvent[]>
  /** Returns the id of the owner's newest event, or 0. */
  latestId(ownerId: string): Promise<number>
  /**
   * Returns the id after which a listener continues if it has seen everything up to `id` (0: nothing yet). This is `id` itself if
   * all later events of the owner are stored. Any other id means that the listener has missed events, because they were trimmed
   * or the records were restored from a backup.
   */
  resumeAfter(ownerId: string, id: number): Promise<number>
  /**
   * Calls the listener after each commit that wrote events of this owner; the listener reads them with `since`. Returns a
   * function that stops this.
   */
  subscribe(ownerId: string, listener: () => void): () => void
  /** Deletes the oldest events of each owner who has more than `keep`. */
  trim(keep?: number): Promise<void>
}
