import type { Quotas } from '../core/model.ts'
import type { BuildSpeed } from './indexes.ts'
import type { JobRef, ParsedPages, QueuedDocument, SavedPages } from './queue.ts'

/**
 * How the processes of an instance work together. Only an instance in a shared database has this. A process that was frozen or cut off loses its
 * leases and claims to other processes.
 */
export interface Coordination {
  queue: SharedQueue
  /** The right to write indexes, and to do what must happen once in the instance. */
  writer: Lease
  versions: Versions
  reports: WriterReports
  modelRequests: ModelRequestRecords
  /** Texts that any process can show to their session, once. */
  shownOnce: ShownOnce
  /** Returns a secret of the instance, which is the same for all processes, as base64. The first caller makes it. */
  secret(name: 'webhooks'): Promise<string>
}

/**
 * How processes hand documents over. A process that does not write the index reads documents and stores their pages. Then the process that
 * writes the index takes them over.
 */
export interface SharedQueue {
  /**
   * Like `Queue.claim`, but claims only documents whose pages are not stored yet, and none of the media types in `exceptTypes`. Looks only at the
   * owners whose turn is next and at the first documents of each, so that the time does not grow with the queue.
   */
  claimUnread(limit: number, options: { except?: readonly string[]; exceptTypes: readonly string[] }): Promise<QueuedDocument[]>
  /** Like `Queue.savePages`, but also gives up the claim. The document stays in progress until a process takes it over. */
  handOver(job: JobRef, parsed: ParsedPages, quotas?: Quotas): Promise<SavedPages | null>
  /** Takes over documents, as if this process had claimed them. */
  takeOver(limit: number): Promise<QueuedDocument[]>
  /** Calls the listener when documents may have been handed over. Notifications can be lost. Returns a function that stops this. */
  onHandedOver(listener: () => void): Promise<() => Promise<void>>
}

/** A right that at most one process has. The clock of the database decides when it expires. */
export interface Lease {
  /**
   * Takes the lease if nobody has it, and renews it from then on. Calls `onLost` once if it expires nevertheless. Returns null if another process has
   * it.
   */
  tryTake(onLost: () => void): Promise<HeldLease | null>
  /** True while any process has the lease. */
  isTaken(): Promise<boolean>
  /** Lets others take the lease at once. */
  release(): Promise<void>
}

/**
 * A lease that this process took. After it is over, it stays over, even if this process takes the lease again. So work that a process began under an
 * earlier lease can't go on under a later one.
 */
export interface HeldLease {
  /** A new ID each time a process takes the lease. */
  readonly holder: string
  /**
   * True until the lease is over, by the clock of this process. The clock can stop while the machine sleeps. So for some seconds after the machine
   * has woken up, another process may have the lease too.
   */
  isHeld(): boolean
  /** Asks the database whether this lease still lasts. */
  isStillHeld(): Promise<boolean>
  /** Returns a number that is greater than all earlier ones. Throws `writer_replaced` if the lease is over. */
  nextFence(): Promise<number>
}

/**
 * Subjects whose changes other processes must notice. `indexes`: the list of indexes. `models`: a user's request to use a model or to remove its
 * index.
 */
export type SharedSubject = 'indexes' | 'models'

/** Numbers that grow when a subject changes. Within a `Moment`, they may be as old as the moment. */
export interface Versions {
  of(subject: SharedSubject): Promise<number>
  /** Call this after a change of the subject. Triggers of the database count changes of `indexes`. */
  grow(subject: Exclude<SharedSubject, 'indexes'>): Promise<void>
  /** Returns the number of the newest commit to an index; 0 if there was none. */
  newestCommit(indexId: string): Promise<number>
  /** Notes a commit to an index, unless a newer one is noted. */
  noteCommit(indexId: string, number: number): Promise<void>
}

/** What the process that writes the index tells the others about its work. */
export interface WriterReport {
  /** Why documents wait. Null if nothing holds them up. */
  documentsWaitFor: string | null
  /** Why the building of a new index waits. Null if it does not. */
  buildWaitsFor: string | null
  /** Why the embedder of the active index can't be used. Null while it can. */
  embedder: { code: string; message: string } | null
  /** The index that is being built. */
  building: ({ indexId: string } & BuildSpeed) | null
}

export interface WriterReports {
  /** Replaces the report. Does nothing if the lease to write the index is over. */
  write(report: WriterReport, held: HeldLease): Promise<void>
  /**
   * Returns the newest report of the process that has the lease to write the index. Null if no process has the lease, if that process has not reported
   * yet, or if another version of docsearch wrote the report in another format.
   */
  read(): Promise<WriterReport | null>
}

/** A user's request to use a model. */
export interface ModelRequest {
  id: string
  embedder: string
  /** What the process that writes the index has done, or why it can't use the model yet. Null while it has not answered. */
  answer: { state: 'in_use' | 'building'; notice: string | null } | { failure: string } | null
}

/** The newest request to use a model. The process that writes the index carries it out. If none runs, the next one does. */
export interface ModelRequestRecords {
  newest(): Promise<ModelRequest | null>
  /** Stores a request in place of the previous one. Returns false if the previous one is for the same embedder and still waits for its answer. */
  make(embedder: string): Promise<boolean>
  /** Does nothing if there is a newer request. */
  answer(request: ModelRequest, answer: ModelRequest['answer']): Promise<void>
  /** Forgets the request, unless there is a newer one. */
  withdraw(id: string): Promise<void>
}

/** Texts for a session, each read once. Callers encrypt them. */
export interface ShownOnce {
  /** Forgets the oldest texts of a session that has many. */
  put(kept: { id: string; sessionId: string; text: string; next: string; ms: number }): Promise<void>
  /** Returns the text once, and null after that. Returns null for another session and after the text has expired. */
  take(id: string, sessionId: string): Promise<{ text: string | null; next: string } | null>
}
