import type { Blobs } from '../blobs/blobs.ts'
import type { Limits } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { DocumentRecord, Quotas } from '../core/model.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { Ocr } from '../parse/ocr/ocr.ts'
import type { ParserPool } from '../parse/pool/pool.ts'
import type { DocumentChange, OnConflict, ProjectIds, Records, Registered, Restored } from '../records/records.ts'
import type { SharedQueue } from '../records/shared.ts'

export interface DeletionOptions {
  isPermanent?: boolean
  /** Does not wait for the index. `finishMany` waits for it once. */
  isOneOfMany?: boolean
}

/** Turns received bytes into searchable passages. */
export interface Ingest {
  /** Makes records and index agree after a crash, then starts to work on the queue. */
  start(): Promise<void>
  /** Claims nothing more. Finishes the documents in progress, or puts them back into the queue, within `graceMs`. */
  stop(graceMs: number): Promise<void>
  /**
   * Takes over a file that was streamed into `blobs.incoming`. When it returns, the bytes are synced under their hash and the document is committed
   * in the queue. The content decides the media type. Throws `unsupported_type`, `empty_file`, `encrypted`, `too_large`, `document_exists`,
   * `disk_full`.
   */
  accept(upload: {
    /** The owner of the project, in whose turn the file is checked. */
    ownerId: string
    uploaderId: string
    projectId: string
    file: string
    sha256: string
    sizeBytes: number
    name: string
    path: string
    /** Null when the upload names none: an existing document then keeps its own. */
    tags: readonly string[] | null
    onConflict: OnConflict
  }): Promise<Registered>
  /**
   * Puts a document into the trash, or deletes it for good. Returns false when there is no such document. After true, no search finds it
   * any more. A document in the trash can only be deleted for good.
   */
  deleteDocument(projects: ProjectIds, id: string, options?: DeletionOptions): Promise<boolean>
  /** Takes a document out of the trash and queues it. Returns null when it is not there. Throws `quota_exceeded`. */
  restore(projects: ProjectIds, id: string, options?: Pick<DeletionOptions, 'isOneOfMany'>): Promise<Restored | null>
  /** Call it after deletions and restorations that were each `isOneOfMany`. */
  finishMany(): Promise<void>
  /** Returns the number of documents deleted with the project, or null when there is no such project. */
  deleteProject(id: string): Promise<number | null>
  /** Deletes a user with all their data. Returns the number of documents deleted, or null when there is no such user. Throws `owner_stays`. */
  deleteUser(id: string): Promise<number | null>
  /**
   * Changes a document, and its passages without embedding them again. Afterwards, searches find it as it is now. A document that is in progress, or
   * that the index can't change now, is queued. Returns null when there is no such document. Throws `path_taken` and `project_not_found`.
   */
  edit(
    projects: ProjectIds,
    id: string,
    change: DocumentChange,
    options?: Pick<DeletionOptions, 'isOneOfMany'>,
  ): Promise<DocumentRecord | null>
  /** Looks for what other processes have changed in the records. */
  notice(): void
  /** Queues a document again, to be read from its original. Returns null when there is no such document. */
  reprocess(projects: ProjectIds, id: string): Promise<DocumentRecord | null>
  /**
   * Repairs files of the active index that are damaged on the disk: rebuilds it if its table is damaged, or these files of segments, given relative
   * to the data folder. Then compares the index with the records. Returns the files of segments that are being rebuilt. Does nothing and returns null in
   * a process that does not write the index.
   */
  repairIndex(damage: { isTableDamaged: boolean; segmentFiles: readonly string[] }): Promise<string[] | null>
  /**
   * Reads all files of the active index, and queues the documents of changed files again. `onRead` is called after each part of a file, and may slow
   * down the reading.
   */
  scrubIndex(onRead: () => Promise<void>): Promise<void>
  /** Waits until all documents are ready, failed or deleted. Returns false when the time is over or the signal aborts before that. */
  settled(projects: ProjectIds, documentIds: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<boolean>
  /** Says why documents wait, and why the building of a new index waits. Null for what does not wait. */
  waitReasons(): Promise<{ documents: string | null; build: string | null }>
  /**
   * Describes the queue for health: how many documents wait, are in progress and have failed (of some projects, or of all), and why work waits, if
   * it does.
   */
  status(
    projects?: ProjectIds,
  ): Promise<{ status: 'ok' | 'degraded'; message: string; queued: number; processing: number; failed: number }>
}

/** What serve/ hands in. */
export interface IngestOptions {
  records: Records
  blobs: Blobs
  lifecycle: Lifecycle
  parserPool: ParserPool
  /** Documents that other processes have read. Undefined for an instance with one process. */
  handedOver?: Pick<SharedQueue, 'takeOver'>
  /** Reads pages without text. Undefined when the operator has set no OCR program. */
  ocr?: Ocr | undefined
  limits: Pick<Limits, 'fileBytes'>
  /** The quotas of users who have none of their own. Without it, there are none. */
  quotas?: Quotas | undefined
  /** How many days deleted documents and replaced versions stay in the trash; 0, the default, for no trash. */
  trashDays?: number
  /** How many parser processes the pool has. One for each core by default. */
  parseWorkers?: number
  clock: Clock
  log: Logger
  telemetry?: Telemetry
}
