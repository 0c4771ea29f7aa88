import type { DocumentEvent } from '../core/model.ts'
import type { ProjectIds } from './projects.ts'

/** The number of newest events to store for each project. A listener can resume if it has missed fewer. */
export const MAX_EVENTS = 20_000

/** How long the events of a deleted project are stored. */
export const DELETED_PROJECT_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Changes of documents, in the order in which they were committed. The ids grow over all projects, so they reveal how much happens
 * in other projects: show them only encrypted. An id is at least the time of its event in milliseconds, and no id is used again
 * after a restore from a backup.
 */
export interface Events {
  /** Returns up to `limit` events of the projects after `afterId`, oldest first. */
  since(projects: ProjectIds, afterId: number, limit: number): Promise<DocumentEvent[]>
  /** Returns the id of the newest event of the projects, or 0. */
  latestId(projects: ProjectIds): Promise<number>
  /**
   * Returns the id after which a listener continues if it has seen everything up to `id` (0: nothing yet). `hasMissed` is true if
   * later events of the projects may no longer be stored, because they were trimmed or the records were restored from a backup.
   */
  resumeAfter(projects: ProjectIds, id: number): Promise<{ afterId: number; hasMissed: boolean }>
  /**
   * Calls the listener after each commit that wrote events, with the projects of these events. Returns a function that stops
   * this.
   */
  subscribe(listener: (projects: ProjectIds) => void): () => void
  /**
   * Deletes the oldest events of each project that has more than `keep`, and what is left of projects that were deleted more than
   * `DELETED_PROJECT_MS` ago.
   */
  trim(keep?: number): Promise<void>
  /** Returns the key that encrypts ids, in hex. It is always the same. */
  key(): Promise<string>
}
