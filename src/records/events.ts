import type { DocumentEvent } from '../core/model.ts'

/** Each user's newest this many events are stored. A listener can resume across that many. */
export const MAX_EVENTS = 20_000

/**
 * Changes of documents, in the order in which they were committed. Every owner has ids of their own: the next event of an owner
 * gets the next number, so an id tells nothing about other users. Each time the records are opened, the numbers of every owner
 * jump to at least the time in milliseconds. So an id is not used again after a restore from a backup.
 */
export interface Events {
  /** Returns up to `limit` events of the owner after `afterId`, oldest first. */
  since(ownerId: string, afterId: number, limit: number): Promise<DocumentEvent[]>
  /** Returns the id of the owner's newest event, or 0. */
  latestId(ownerId: string): Promise<number>
  /**
   * Returns the id after which a listener goes on that has seen everything up to `id` (0: nothing yet). This is `id` itself when all
   * later events of the owner are stored. Any other id means that the listener has missed events: they were trimmed, or the records
   * were restored from a backup.
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
