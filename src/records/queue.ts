import type { DocsearchError, ErrorCode } from '../core/errors.ts'
import type { DocumentHealth, DocumentRecord, DocumentStatus, DocumentWarning, Quotas } from '../core/model.ts'
import type { MessageHeader, Page, SkippedAttachment } from '../core/parsed.ts'
import type { NewAttachment } from './attachments.ts'
import type { ProjectIds } from './projects.ts'

/** A version of a document, as a piece of work. */
export interface JobRef {
  documentId: string
  version: number
  /**
   * The lease under which the process claimed the document. Once it is over, the job is no longer wanted, even if the same process claims the
   * document again. Only a database that processes share has such leases.
   */
  lease?: string
}

export interface QueuedDocument extends JobRef {
  document: DocumentRecord
  /** How often this version was claimed before without being finished. */
  attempts: number
  /** True when the pages of this version are stored, so that a retry need not parse again. `document.parse` names the parser. */
  hasPages: boolean
  /** False when passages of an earlier version may be in the index. */
  isNew: boolean
}

/** What a parser found in a document. */
export interface ParsedPages {
  pages: readonly Page[]
  title: string | null
  /** Tags that the file itself has. They become the document's tags when the upload named none. */
  tags?: readonly string[]
  pageCount: number
  warnings: readonly DocumentWarning[]
  health: DocumentHealth
  facts: Record<string, unknown>
  /** The headers of the messages of a document of mail. */
  messages?: readonly MessageHeader[]
  /** The attachments of its messages, whose originals are stored. */
  attachments?: readonly NewAttachment[]
  attachmentsSkipped?: readonly SkippedAttachment[]
  /** How many more attachments did not become documents. */
  attachmentsUnlisted?: number
  /** False if a limit stopped the parser early: attachments that are missing then stay as they are. */
  isWhole?: boolean
}

/** The title and tags of a document after `savePages`. */
export interface SavedPages {
  title: string | null
  tags: string[]
}

/** A job whose document has been cut into passages. */
export interface CutJob extends JobRef {
  passages: number
}

/** A document whose passages are committed in the index. */
export interface FinishedJob {
  job: JobRef
  chunkCount: number
  chunksSkipped: number
  embeddingModel: string
  warnings: readonly DocumentWarning[]
  /** The document's words for the vocabulary: `["term word", …]` as JSON, from `text/word-list.ts`. */
  words?: string
}

/**
 * The queue of documents to index. The document's status is its place in the queue. The worker acts for all owners.
 * A job whose document was deleted, or has a newer version by now, is no longer wanted: methods ignore it or say so.
 *
 * A power cut may undo the last calls of `claim`, `savePages` and `finish`. The next start repeats the work. It never undoes one that came
 * before a call of another method.
 */
export interface Queue {
  /**
   * Sets up to `limit` queued documents to processing and returns them. Owners take turns: each document belongs to the owner
   * whose last claim is longest ago, among the owners with a queued document. Of an owner's documents, those with the fewest
   * attempts come first, among them the oldest. Leaves out all documents of the owners in `except`. No document is claimed twice.
   */
  claim(limit: number, options?: { except?: readonly string[] }): Promise<QueuedDocument[]>
  /**
   * Stores the pages and makes the attachments documents, whose parent is this one. Attachments that are documents already stay as they are if their
   * bytes are the same. Those that exceed a quota cause a warning. `quotas` are the quotas of the instance, by default none. Returns the document's
   * title, cut to `MAX_TITLE_CHARS`, and its tags, or null when the job is no longer wanted.
   */
  savePages(job: JobRef, parsed: ParsedPages, quotas?: Quotas): Promise<SavedPages | null>
  /**
   * Call this before passages go to the index. Records that the index may hold them from now on, and counts them towards the
   * quota of their owner. Returns the jobs that are still wanted, and those whose passages would exceed the quota, each with the
   * error `quota_exceeded`. `quotas` are the quotas of the instance, by default none.
   */
  beginIndexing(
    jobs: readonly CutJob[],
    quotas?: Quotas,
  ): Promise<{ wanted: JobRef[]; refused: { job: JobRef; error: DocsearchError }[] }>
  /** Sets documents to ready, all in one transaction. Returns the jobs that were no longer wanted. */
  finish(results: readonly FinishedJob[]): Promise<JobRef[]>
  /**
   * Sets a document to failed, for good. When an earlier version was searchable, this writes a tombstone, because search must not
   * find a failed document.
   */
  fail(job: JobRef, error: { code: ErrorCode; message: string }): Promise<void>
  /**
   * Puts a document back into the queue. `countAttempt` is false when the document had to wait for something outside, such as the
   * embedder.
   */
  release(job: JobRef, options: { countAttempt: boolean }): Promise<void>
  /** At start: queues the documents again that were processing when the daemon stopped, with their attempts. Returns how many. */
  recover(): Promise<number>
  /**
   * Queues the documents again that this process has claimed but does not work on. Such documents exist after a claim whose answer got lost, and
   * after work that ended while the database did not answer. The process has not crashed, so this attempt does not count. `inProgress` has the
   * ids of the documents that this process works on. If it works on none, its former jobs are no longer wanted: some may still run in a worker that
   * could not end in time. Returns how many documents were queued.
   */
  requeueLost(inProgress: readonly string[]): Promise<number>
  /**
   * For a new, empty index: queues every document again that is ready or processing, or failed for lack of an embedder. Returns
   * how many.
   */
  requeueAll(): Promise<number>
  /** Returns the ids of documents, deleted or failed, whose passages may still be in the index. */
  tombstones(): Promise<string[]>
  clearTombstones(documentIds: readonly string[]): Promise<void>
  /** Returns what the active index should hold: the ready documents, with version and number of passages. */
  expected(): Promise<Map<string, { version: number; chunks: number }>>
  /** Returns the ids that belong to no document or to a failed one. The index should have no passages of these. */
  unknown(documentIds: readonly string[]): Promise<string[]>
  /** Queues ready documents again whose passages the index has lost. */
  requeueMany(documentIds: readonly string[]): Promise<void>
  /** Returns when the document was queued that has waited or been processed for longest, or null if there is none. */
  oldest(): Promise<Date | null>
  /** Counts documents by status: of some projects, or of all. */
  counts(projects?: ProjectIds): Promise<Record<DocumentStatus, number>>
}
