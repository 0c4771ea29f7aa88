import type { DocumentRecord, DocumentSort, DocumentStatus, Quotas, SortOrder } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { ProjectIds } from './projects.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export interface NewDocument {
  /** The user who uploads it. */
  uploaderId: string
  projectId: string
  name: string
  path: string
  mediaType: string
  sizeBytes: number
  sha256: string
  /** Null when the upload named no tags: an existing document then keeps the tags it has. */
  tags: readonly string[] | null
}

/** What a user may change of a document. Fields that are left out stay as they are. */
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

export interface Keeping {
  /** Whether deleted documents and replaced versions go to the trash. By default, they are deleted for good. */
  isKept: boolean
}

export interface Registered {
  document: DocumentRecord
  outcome: UploadOutcome
  /** The ID of the replaced version in the trash; null when nothing went there. */
  trashedId: string | null
}

export interface DocumentQuery extends ListRequest {
  /** One of these, if there are several. */
  status?: DocumentStatus | readonly DocumentStatus[]
  /** True for documents with warnings, false for documents without. */
  warnings?: boolean
  /** Part of the name; upper and lower case count as the same. */
  name?: string
  sha256?: string
  /** The beginning of the path. Letter case counts, and no character is a wildcard. */
  pathPrefix?: string
  /** The end of the ID. */
  idSuffix?: string
  /** Created at this time or later. */
  createdAfter?: Date
  /** Created before this time. */
  createdBefore?: Date
  /** At least one of these tags. */
  tags?: readonly string[]
  /** One of these types. */
  mediaTypes?: readonly string[]
  /** The attachments of this message; null for documents that are no attachments. */
  parentId?: string | null
  /** `newest` by default. A document without pages counts as one with 0 pages. */
  sort?: DocumentSort
  /** By default the order of the sort in `DOCUMENT_SORTS`. */
  order?: SortOrder
}

export interface Documents {
  /**
   * Registers an upload whose original is already stored: queues the document and writes its event, in one transaction. When the
   * project has a document at the same path:
   * - the same bytes are `unchanged`. The document is queued again when it had failed, or when `replace` brings other tags.
   * - other bytes become, with `replace`, the next version of the same document (`replaced`); its former version stays searchable
   *   until the next one is ready. With `isKept` the former version goes to the trash, under the ID `trashedId`, if the
   *   quota has room for both. With `keep` they become a second document with a number in its path, as in `a (2).pdf`. With
   *   `error` this throws `document_exists`.
   *
   * The document counts towards the quotas of the project's owner. Throws `project_not_found` when the uploader is no member of the
   * project, `insufficient_role` when the uploader may only read there, and `quota_exceeded` when the document would exceed a quota.
   * `quotas` are the quotas of the instance, by default none.
   */
  register(document: NewDocument, onConflict: OnConflict, quotas?: Quotas, options?: Keeping): Promise<Registered>
  get(projects: ProjectIds, id: string): Promise<DocumentRecord | null>
  /** Returns the documents with these ids. Ids without a document in the projects are missing from the map. */
  getMany(projects: ProjectIds, ids: readonly string[]): Promise<Map<string, DocumentRecord>>
  /** Returns the documents at these paths of a project, by path. Paths without a document are missing from the map. */
  atPaths(projectId: string, paths: readonly string[]): Promise<Map<string, DocumentRecord>>
  /**
   * Returns the document with these bytes that `register` with `keep` would find under a number, such as `a (2).pdf` for the path
   * `a.pdf`; null when it would add one.
   */
  numberedCopy(projectId: string, file: { path: string; sha256: string }): Promise<DocumentRecord | null>
  /** Newest first. */
  list(projects: ProjectIds, query: DocumentQuery): Promise<ResultPage<DocumentRecord>>
  /** Counts queued and processing documents. Search results report this number. */
  countPending(projects: ProjectIds): Promise<number>
  /**
   * Changes a document, which gets the next version if it is indexed or in progress. With `prepared`, a document that is ready and still has that
   * version stays ready, and the caller writes its passages to the index (`isPrepared`). Otherwise a document that is ready or in progress is
   * queued again, with its stored pages. A document that moves to the project of another owner counts towards
   * the quotas of that owner. Returns null when there is no such document. Throws `path_taken`, `project_not_found`
   * and `quota_exceeded`.
   */
  edit(
    projects: ProjectIds,
    id: string,
    change: DocumentChange,
    prepared: PreparedEdit | null,
    quotas?: Quotas,
  ): Promise<{ document: DocumentRecord; isPrepared: boolean } | null>
  /** Queues the same bytes as a new version. Returns null when there is no such document. */
  requeue(projects: ProjectIds, id: string): Promise<DocumentRecord | null>
  /**
   * Deletes a document with its attachments, and leaves a tombstone for each until the index has dropped its passages. With `isKept` it goes to the trash. Returns false
   * when there is no such document.
   */
  delete(projects: ProjectIds, id: string, options?: Keeping): Promise<boolean>
  /** Returns the attachments of these documents, and the attachments of attached messages. */
  attachments(projects: ProjectIds, ids: readonly string[]): Promise<DocumentRecord[]>
  /** Returns the pages of the version that was parsed last, or null when no version was. */
  pages(projects: ProjectIds, id: string): Promise<Page[] | null>
  /** Returns true when a document of any project has these bytes, also in the trash. */
  isBlobReferenced(sha256: string): Promise<boolean>
}

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
