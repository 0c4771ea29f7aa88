import type { DocumentRecord, DocumentStatus, Quotas } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export interface NewDocument {
  ownerId: string
  projectId: string
  name: string
  path: string
  mediaType: string
  sizeBytes: number
  sha256: string
  /** Null when the upload named no tags: an existing document then keeps the tags it has. */
  tags: readonly string[] | null
}

/** What a user may change of a document. What is left out stays. */
export interface DocumentChange {
  name?: string
  path?: string
  /** A title of the user's own, which stays when the document is processed again. */
  title?: string
  tags?: readonly string[]
  projectId?: string
}

/** The passages of an edited document are ready to be written to the index. */
export interface PreparedEdit {
  /** The version that the passages were made from. Theirs is the next one. */
  version: number
  /** The document's words for the vocabulary, as in `FinishedJob`. */
  words: string
}

export type UploadOutcome = 'created' | 'replaced' | 'unchanged'
export type OnConflict = 'replace' | 'keep' | 'error'

export interface DocumentQuery extends ListRequest {
  projectId?: string
  status?: DocumentStatus
  /** True for documents with warnings, false for documents without. */
  warnings?: boolean
  /** Part of the name; upper and lower case count as the same. */
  name?: string
  sha256?: string
  /** The beginning of the path. Letter case counts, and no character is a wildcard. */
  pathPrefix?: string
  tag?: string
  mediaType?: string
}

export interface Documents {
  /**
   * Registers an upload whose original is already stored: queues the document and writes its event, in one transaction. When the
   * project has a document at the same path:
   * - the same bytes are `unchanged`. The document is queued again when it had failed, or when `replace` brings other tags.
   * - other bytes become, with `replace`, the next version of the same document (`replaced`); its former version stays searchable
   *   until the next one is ready. With `keep` they become a second document with a number in its path, as in `a (2).pdf`. With
   *   `error` this throws `document_exists`.
   *
   * Throws `project_not_found` when the owner has no such project, and `quota_exceeded` when the document would exceed a quota of
   * the owner. `quotas` are the quotas of the instance, by default none.
   */
  register(
    document: NewDocument,
    onConflict: OnConflict,
    quotas?: Quotas,
  ): Promise<{ document: DocumentRecord; outcome: UploadOutcome }>
  get(ownerId: string, id: string): Promise<DocumentRecord | null>
  /** Returns the owner's documents with these ids. Ids that the owner has no document for are missing from the map. */
  getMany(ownerId: string, ids: readonly string[]): Promise<Map<string, DocumentRecord>>
  /** Returns the owner's documents at these paths of a project, by path. Paths without a document are missing from the map. */
  atPaths(ownerId: string, projectId: string, paths: readonly string[]): Promise<Map<string, DocumentRecord>>
  /**
   * Returns the document with these bytes that `register` with `keep` would find under a number, such as `a (2).pdf` for the path
   * `a.pdf`; null when it would add one.
   */
  numberedCopy(ownerId: string, projectId: string, file: { path: string; sha256: string }): Promise<DocumentRecord | null>
  /** Newest first. */
  list(ownerId: string, query: DocumentQuery): Promise<ResultPage<DocumentRecord>>
  /** Counts the owner's queued and processing documents, in all projects or in these. Search results report this number. */
  countPending(ownerId: string, projectIds?: readonly string[]): Promise<number>
  /**
   * Changes a document, which gets the next version if it is indexed or in work. With `prepared`, a document that is ready and still has that
   * version stays ready, and the caller writes its passages to the index (`isPrepared`). Otherwise a document that is ready or in work is
   * queued again, with its stored pages. Returns null when the owner has no such document. Throws `path_taken` and `project_not_found`.
   */
  edit(
    ownerId: string,
    id: string,
    change: DocumentChange,
    prepared: PreparedEdit | null,
  ): Promise<{ document: DocumentRecord; isPrepared: boolean } | null>
  /** Queues the same bytes as a new version. Returns null when the owner has no such document. */
  requeue(ownerId: string, id: string): Promise<DocumentRecord | null>
  /**
   * Deletes a document and leaves a tombstone until the index has dropped its passages. Returns false when the owner has no such
   * document.
   */
  delete(ownerId: string, id: string): Promise<boolean>
  /** Returns the pages of the version that was parsed last, or null when no version was. */
  pages(ownerId: string, id: string): Promise<Page[] | null>
  /** Returns true when a document of any owner has these bytes. */
  isBlobReferenced(sha256: string): Promise<boolean>
}
