import type { DocumentRecord, Quotas } from '../core/model.ts'
import type { DocumentQuery } from './documents.ts'
import type { ProjectIds } from './projects.ts'
import type { ResultPage } from './result-page.ts'

/** A deleted document, or a version that was replaced, as it was then. */
export interface TrashedDocument extends DocumentRecord {
  trashedAt: Date
}

/** A document that came out of the trash. */
export interface Restored {
  document: DocumentRecord
  /** ID of the document that had its path and is in the trash now; null when there was none. */
  replacedId: string | null
  /** IDs of its attachments that exceed a quota. They are deleted. When the message has been read again, a warning names them. */
  refusedIds: readonly string[]
}

/**
 * Deleted documents, and versions that were replaced. `Documents.delete` and `Documents.register` put them here. They count towards the quota
 * of bytes and nothing else, and their originals stay. The trash of a project is deleted with the project.
 */
export interface Trash {
  get(projects: ProjectIds, id: string): Promise<TrashedDocument | null>
  /** Last deleted first. The query is about the documents as they were when they were deleted. */
  list(projects: ProjectIds, query: DocumentQuery): Promise<ResultPage<TrashedDocument>>
  /**
   * Puts a document back under its ID and queues it, in one transaction. A document that has taken its path goes to the trash. Returns
   * null when there is no such document in the trash. Throws `quota_exceeded`.
   */
  restore(projects: ProjectIds, id: string, quotas?: Quotas): Promise<Restored | null>
  /** Deletes a document for good. Returns false when there is no such document in the trash. */
  delete(projects: ProjectIds, id: string): Promise<boolean>
  /** Deletes for good what came to the trash before this time, the oldest first and at most `limit`. Returns how many. */
  purge(before: Date, limit: number): Promise<number>
}
