import type { DocumentEvent } from '../core/model.ts'

/** Events older than the newest this many, of the whole instance, are trimmed: a listener can resume across so much. */
export const MAX_EVENTS = 20_000

/** Changes of documents, in the order in which they were committed. */
export interface Events {
  /** Returns up to `limit` events of the owner after `afterId`, oldest first. */
  since(ownerId: string, afterId: number, limit: number): Promise<DocumentEvent[]>
  /** Returns the id of the newest event of any owner, or 0. */
  latestId(): Promise<number>
  /**
   * Calls the listener after each commit that wrote events of this owner; the listener reads them with `since`. Returns a
   * function that stops this.
   */
  subscribe(ownerId: string, listener: () => void): () => void
  /** Deletes the oldest events beyond `MAX_EVENTS`. */
  trim(): Promise<void>
}
