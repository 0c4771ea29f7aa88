import type {
  ApiKeyRecord,
  DocumentEvent,
  DocumentHealth,
  DocumentRecord,
  DocumentStatus,
  DocumentWarning,
  LinkPurpose,
  Project,
  ProjectCounts,
  Scope,
  SessionRecord,
  User,
} from '../core/model.ts'
import type { ErrorCode, WarningCode } from '../core/errors.ts'
import type { Page } from '../core/parsed.ts'
import type { OAuthRecords } from './oauth-records.ts'

/**
 * The truth, in SQL: small async interfaces by noun, one backend (records/sql/). Every method that names an owner sees only
 * that owner's rows. A method either commits (synchronous=FULL: it survives a power cut) or throws and changed nothing.
 */
export interface Records {
  users: Users
  links: OneTimeLinks
  sessions: Sessions
  keys: Keys
  oauth: OAuthRecords
  projects: Projects
  documents: Documents
  queue: Queue
  events: Events
  indexes: Indexes
  vocabulary: Vocabulary
  /** A read and a write of nothing (every page is looked at when it is opened). Never throws. */
  check(): Promise<{ ok: boolean; message: string }>
  close(): Promise<void>
}

export interface Users {
  /** Throws DocsearchError `user_exists` when the address is taken (compared without regard to case), `owner_exists` for a second owner. */
  create(user: { name: string; email: string | null; role: User['role'] }): Promise<User>
  get(id: string): Promise<User | null>
  owner(): Promise<User | null>
  findByEmail(email: string): Promise<User | null>
  list(page: PageRequest): Promise<PageOf<User>>
  /** Throws `user_exists`; null when not there. */
  update(id: string, change: { name?: string; email?: string }): Promise<User | null>
  /** PHC string of the password; null when there is no such user or no password yet. */
  passwordHash(id: string): Promise<string | null>
  /** `replacing`: only where it is still this one, so that a new hash of the same password never undoes a change of it. */
  setPasswordHash(id: string, phc: string, replacing?: string): Promise<void>
  /**
   * Disabled: sessions, links and grants of the user end in the same transaction; keys stay but are not found (`findByHash`).
   * Null when not there. The owner cannot be disabled: `owner_stays`.
   */
  setDisabled(id: string, disabled: boolean): Promise<User | null>
  /**
   * The user goes with everything of theirs: documents (each leaves a tombstone), projects, keys, sessions, clients, grants.
   * Null when not there. The owner cannot be deleted: `owner_stays`.
   */
  delete(id: string): Promise<{ documentIds: string[] } | null>
}

/** One-time links with which a person makes a password: only hashes are stored. */
export interface OneTimeLinks {
  create(link: { userId: string; purpose: LinkPurpose; sha256: string; expiresAt: Date }): Promise<void>
  /** What a link is good for, without using it up; null when unknown, used, expired, or the user is disabled. */
  find(sha256: string): Promise<{ userId: string; purpose: LinkPurpose; expiresAt: Date } | null>
  /**
   * Claims it in one statement, and in the same transaction sets the password, name and email where given, and ends the user's
   * sessions and other links. Null when it is not found (as with `find`). Throws `user_exists`, and the link is not used up then.
   */
  claim(sha256: string, account: { passwordHash: string; email?: string; name?: string }): Promise<User | null>
  /** Outstanding links of this user end. */
  revokeAll(userId: string): Promise<void>
  /** Expired ones go. Returns how many rows. */
  sweep(): Promise<number>
}

/** Logins of browsers. Ended and expired ones are gone. */
export interface Sessions {
  /** The user's last login is now, in the same transaction. */
  create(session: { userId: string; sha256: string; userAgent: string; address: string; expiresAt: Date }): Promise<SessionRecord>
  /** With its user; null when unknown, expired, or the user is disabled. */
  findByHash(sha256: string): Promise<{ session: SessionRecord; user: User } | null>
  /** Last seen, written at most once a minute; a sliding expiry moves with it. */
  touch(id: string, expiresAt: Date): Promise<void>
  /** Newest first. */
  list(userId: string): Promise<SessionRecord[]>
  delete(userId: string, id: string): Promise<boolean>
  /** Ends all of a user's but one (a password was changed); all when `exceptId` is null. Returns how many. */
  deleteOthers(userId: string, exceptId: string | null): Promise<number>
  /** Expired ones go. Returns how many rows. */
  sweep(): Promise<number>
}

export interface Keys {
  create(key: {
    ownerId: string
    name: string
    sha256: string
    lastFour: string
    scopes: readonly Scope[]
    expiresAt: Date | null
  }): Promise<ApiKeyRecord>
  /** By the SHA-256 of the whole key, hex. Expired ones, and those of a disabled user, are not found. */
  findByHash(sha256: string): Promise<ApiKeyRecord | null>
  /** At most once a minute per key is written. */
  touch(id: string): Promise<void>
  list(ownerId: string, page: PageRequest): Promise<PageOf<ApiKeyRecord>>
  delete(ownerId: string, id: string): Promise<boolean>
}

/** Keyset pagination; a cursor is opaque to callers. A cursor that is not one of ours throws DocsearchError `invalid_cursor`. */
export interface PageRequest {
  limit: number
  cursor?: string
}

export interface PageOf<T> {
  items: T[]
  nextCursor: string | null
}

export type ProjectWithCounts = Project & { counts: ProjectCounts }

export interface Projects {
  /** Throws DocsearchError `project_exists`. */
  create(project: { ownerId: string; name: string; description: string }): Promise<ProjectWithCounts>
  /** By id or by name (ids win); null also when it is somebody else's. */
  find(ownerId: string, idOrName: string): Promise<ProjectWithCounts | null>
  /** The same without counting its documents. */
  findId(ownerId: string, idOrName: string): Promise<string | null>
  list(ownerId: string, page: PageRequest): Promise<PageOf<ProjectWithCounts>>
  /** Throws `project_exists`; null when not there. */
  update(ownerId: string, id: string, change: { name?: string; description?: string }): Promise<ProjectWithCounts | null>
  /** Removes it with its documents (each leaves a tombstone and an event); the ids of the documents, or null when not there. */
  delete(ownerId: string, id: string): Promise<{ documentIds: string[] } | null>
}

export interface NewDocument {
  ownerId: string
  projectId: string
  name: string
  path: string
  mediaType: string
  sizeBytes: number
  sha256: string
  /** Null: none were given; a document that is there keeps its own. */
  tags: readonly string[] | null
}

export type UploadOutcome = 'created' | 'replaced' | 'unchanged'
export type OnConflict = 'replace' | 'keep' | 'error'

export interface DocumentQuery extends PageRequest {
  projectId?: string
  status?: DocumentStatus
  /** With warnings, or without. */
  warnings?: boolean
  /** Part of the name, without regard to case. */
  name?: string
  sha256?: string
}

export interface Documents {
  /**
   * Registers an upload whose original is already safe, puts it in the queue and writes its event, all in one transaction.
   * Same project, path and bytes: `unchanged` (a failed document is queued anew, and with `replace` one that gets
   * other tags). Same path, other bytes: per `onConflict` the same document with a new version
   * (`replaced`; what was searchable stays so until the new version is ready), a second document whose path has a counter (`keep`), or DocsearchError `document_exists`.
   */
  register(document: NewDocument, onConflict: OnConflict): Promise<{ document: DocumentRecord; outcome: UploadOutcome }>
  /** Null also when it is somebody else's. */
  get(ownerId: string, id: string): Promise<DocumentRecord | null>
  /** For search results: those of `ids` that are there and the owner's. */
  getMany(ownerId: string, ids: readonly string[]): Promise<Map<string, DocumentRecord>>
  list(ownerId: string, query: DocumentQuery): Promise<PageOf<DocumentRecord>>
  /** Queued or processing, in these projects or all: a search must not look complete while they are not searchable. */
  countPending(ownerId: string, projectIds?: readonly string[]): Promise<number>
  /** New version of the same bytes into the queue; null when not there. */
  requeue(ownerId: string, id: string): Promise<DocumentRecord | null>
  /** The row goes, a tombstone stays until the index has forgotten it; false when not there. */
  delete(ownerId: string, id: string): Promise<boolean>
  /** Extracted pages of the version that was last parsed; null when there is none yet. */
  pages(ownerId: string, id: string): Promise<Page[] | null>
  isBlobReferenced(sha256: string): Promise<boolean>
}

/** What the worker needs; it acts for all owners. */
export interface Queue {
  /** At most `limit`, those tried least first and of those the oldest, status → processing in the same statement; not those whose `notBefore` is in the future. */
  claim(limit: number): Promise<QueuedDocument[]>
  /** Earliest moment at which something waiting may be claimed; null when nothing waits. */
  nextDue(): Promise<Date | null>
  /** Parsing is done: pages and facts are kept. The document's tags as they are now; null when this version is no longer wanted. */
  savePages(
    job: JobRef,
    parsed: {
      pages: readonly Page[]
      title: string | null
      /** Of the file itself: they become the document's where the upload gave none. */
      tags?: readonly string[]
      pageCount: number
      warnings: readonly DocumentWarning[]
      health: DocumentHealth
      facts: Record<string, unknown>
    },
  ): Promise<{ tags: string[] } | null>
  /**
   * Before chunks go to the index: from here on they may be in it, whatever happens. Returns the jobs whose version is still wanted.
   */
  beginIndexing(jobs: readonly JobRef[]): Promise<JobRef[]>
  /** Its chunks are committed in the index. One transaction for many. Returns those whose version was no longer wanted. */
  finish(
    results: readonly {
      job: JobRef
      chunkCount: number
      chunksSkipped: number
      embeddingModel: string
      warnings: readonly DocumentWarning[]
      /** Its words for the vocabulary: `[[word, term, passages], …]` as JSON, from `text/word-list.ts`. Without them it counts for nothing there. */
      words?: string
    }[],
  ): Promise<JobRef[]>
  /** For good. What was searchable of an earlier version is buried (see `tombstones`): a failed document is not found. */
  fail(job: JobRef, error: { code: ErrorCode; message: string }): Promise<void>
  /** Back into the queue, not before this moment. `countAttempt` false: waiting for something outside is no fault of the document. */
  release(job: JobRef, options: { notBefore: Date; countAttempt: boolean }): Promise<void>
  /** At start: what was `processing` when the daemon died is queued again, its attempts kept. Returns how many. */
  recover(): Promise<number>
  /** Everything ready or failed for lack of an embedder goes back into the queue (the index is built anew). Returns how many. */
  requeueAll(): Promise<number>
  /** Documents, deleted or failed, whose chunks may still be in the index. */
  tombstones(): Promise<string[]>
  clearTombstones(documentIds: readonly string[]): Promise<void>
  /** What the index ought to hold: ready documents with version and chunk count. */
  expected(): Promise<Map<string, { version: number; chunks: number }>>
  /** Of these, those without a row or failed: their chunks have no place in the index. */
  unknown(documentIds: readonly string[]): Promise<string[]>
  /** Ready documents the index has lost go back into the queue. */
  requeueMany(documentIds: readonly string[]): Promise<void>
  counts(): Promise<Record<DocumentStatus, number>>
}

export interface JobRef {
  documentId: string
  version: number
}

export interface QueuedDocument extends JobRef {
  document: DocumentRecord
  /** Times it has been claimed before without coming to an end. */
  attempts: number
  /** Pages already extracted from these bytes, so that a retry need not parse again. `document.parse` says by what. */
  hasPages: boolean
  /** False when an earlier version may be in the index. */
  isNew: boolean
}

export interface Events {
  /** Events of this owner after `afterId`, oldest first. */
  since(ownerId: string, afterId: number, limit: number): Promise<DocumentEvent[]>
  latestId(): Promise<number>
  /** Calls back after a commit that wrote events of this owner (no payload: read with `since`). Returns the way to stop. */
  subscribe(ownerId: string, listener: () => void): () => void
  /** Oldest ones beyond what a listener may resume from. */
  trim(): Promise<void>
}

/** An index, and under which embedder it was made. One is active (searches ask it), one may be building beside it, others are kept. */
export interface IndexRecord {
  id: string
  fingerprint: string
  embeddingModel: string
  dimensions: number
  state: 'active' | 'building' | 'retired'
  createdAt: Date
}

export type NewIndex = Pick<IndexRecord, 'fingerprint' | 'embeddingModel' | 'dimensions'>

/** What an index holds of a document; `chunks` null when the model could do nothing with it. */
export interface IndexedDocument extends JobRef {
  chunks: number | null
  chunksSkipped: number
  /** Those that embedding caused, under codes of `EMBEDDING_WARNINGS`. */
  warnings: readonly DocumentWarning[]
}

/**
 * What the active index holds stands in the documents' rows; for the others it is kept here. Rows of deleted documents go by themselves.
 */
export interface Indexes {
  active(): Promise<IndexRecord | null>
  /** Oldest first. */
  all(): Promise<IndexRecord[]>
  /** Makes a new one the active one; the old one's row goes, the others stay. */
  activate(index: NewIndex): Promise<IndexRecord>
  /** A new one beside the active one. What was being built before is forgotten. */
  build(index: NewIndex): Promise<IndexRecord>
  /** One that was kept is completed. What was being built before is forgotten. */
  resume(id: string): Promise<IndexRecord | null>
  drop(id: string): Promise<void>
  /** No index is there afterwards: the next start builds it anew. What was chosen stays chosen. */
  clear(): Promise<void>
  /** Vectors of the canary texts, as made when the index was begun; null until then. */
  canaries(id: string): Promise<Float32Array[] | null>
  setCanaries(id: string, vectors: readonly Float32Array[]): Promise<void>
  /** Ready documents with passages that this one lacks or has in another version, by id after `after`. */
  missing(id: string, page: { after: string; limit: number }): Promise<DocumentRecord[]>
  /** Of these, those ready in that version still. */
  wanted(jobs: readonly JobRef[]): Promise<Set<string>>
  /** These documents are in it now. */
  record(id: string, documents: readonly IndexedDocument[]): Promise<void>
  /** What it holds of documents, set-aside ones left out. */
  contents(id: string): Promise<Map<string, { version: number; chunks: number }>>
  forget(id: string, documentIds: readonly string[]): Promise<void>
  /** Ready documents with passages, and how many of them are in it. */
  progress(id: string): Promise<{ done: number; total: number }>
  /**
   * The one moment of a change: in one transaction the building one becomes active, the documents' rows say what it holds, and the active one is
   * kept (dropped when it is of the same model). Documents set aside are queued anew. False, and nothing changed, while documents are missing;
   * with `waitForReplaced` also while a replacement is under way of one that is found now and would not be found then.
   */
  switchTo(id: string, options: { waitForReplaced: boolean }): Promise<boolean>
  /** The embedder chosen while the instance ran; null when none was. */
  chosen(): Promise<string | null>
  choose(embedder: string | null): Promise<void>
}

/** Warnings of a document that another model may not give. */
export const EMBEDDING_WARNINGS: readonly WarningCode[] = ['chunk_not_embedded']

/**
 * The words of each owner's searchable documents: changed in the transaction that makes a document ready, failed or deleted. Nobody's question is
 * looked up in another's words. Words have 3 to 40 letters; numbers, parts of runs without blanks and, beyond 250,000 words, further ones are not in it.
 */
export interface Vocabulary {
  /** Passages there are, and of each term how many have it; a term that is in no word is missing, which does not mean that no passage has it. */
  frequencies(ownerId: string, terms: readonly string[]): Promise<{ passages: number; frequency: Map<string, number> }>
  /** Words (lower case) that begin with this letter, of so many letters. */
  wordsLike(ownerId: string, shape: { initial: string; minLength: number; maxLength: number }): Promise<string[]>
  /** Those of these words that there are: once for each term, with the number of documents. */
  entries(ownerId: string, words: readonly string[]): Promise<{ word: string; term: string; documents: number }[]>
}
