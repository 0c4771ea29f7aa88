import type { DocumentRecord } from '../core/model.ts'
import type { OnConflict, UploadOutcome } from '../records/records.ts'

/** From received bytes to searchable passages. */
export interface Ingest {
  /** Recovery first (records, blobs and index made to agree), then the worker starts to take from the queue. */
  start(): Promise<void>
  /** No new work; what is in flight is finished or put back within `graceMs`. */
  stop(graceMs: number): Promise<void>
  /**
   * Takes over a file that was streamed into `blobs.incoming`. When it returns, the bytes are synced under their hash and the document is committed in the queue.
   * The type is decided by content. Throws DocsearchError: `unsupported_type` (415), `empty_file`, `encrypted` (422), `too_large` (413), `document_exists` (409), `disk_full` (507).
   */
  accept(upload: {
    ownerId: string
    projectId: string
    file: string
    sha256: string
    sizeBytes: number
    name: string
    path: string
    /** Null: none were given; a document that is there keeps its own. */
    tags: readonly string[] | null
    onConflict: OnConflict
  }): Promise<{ document: DocumentRecord; outcome: UploadOutcome }>
  /** False when not there. When it returns true, no search finds it any more. */
  deleteDocument(ownerId: string, id: string): Promise<boolean>
  /** Number of documents deleted with it; null when not there. */
  deleteProject(ownerId: string, id: string): Promise<number | null>
  /** The user with everything of theirs; number of documents deleted with it, null when not there. Throws `owner_stays`. */
  deleteUser(id: string): Promise<number | null>
  reprocess(ownerId: string, id: string): Promise<DocumentRecord | null>
  /** Resolves when all of them are ready, failed or gone, or the time is over. True when all are done. */
  settled(ownerId: string, documentIds: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<boolean>
  /** Of the index that is built beside the one in use: why it stands still, null when it does not. */
  change(): { reason: string | null }
  /** For health: what waits, what is worked on, and why it stands still if it does. */
  status(): Promise<{ status: 'ok' | 'degraded'; message: string; queued: number; processing: number; failed: number }>
}
