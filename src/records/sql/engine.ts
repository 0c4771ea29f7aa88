import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { JobRef } from '../queue.ts'
import type { Tables } from './tables.ts'

export interface WriteMode {
  /** See `Store.writeStep`. */
  isStep: boolean
  /** See `SHARED`. */
  isShared: boolean
}

/** How a database runs the transactions of the store. */
export interface Engine {
  transaction<T>(mode: WriteMode, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>
  /**
   * Call this before the ids of events and of the audit log are chosen, at the end of a transaction. Until the commit, no other transaction gets
   * ids, so the ids are in the order of the commits. A reader that has read up to an id has missed nothing.
   */
  lockIds(tx: Transaction<Tables>, about: { hasEvents: boolean }): Promise<void>
  /** A shared transaction that changes what is counted for a user locks the user first. Others wait until its commit. */
  lockOwners(tx: Transaction<Tables>, ownerIds: readonly string[]): Promise<void>
  /** Locks the owners of these documents. */
  lockOwnersOf(tx: Transaction<Tables>, documentIds: readonly string[]): Promise<void>
  /** Call this after a commit with the ids of the events that it wrote. */
  committed(eventIds: readonly number[]): void
  /** Call this when a listener begins to wait for events. */
  listenerAdded(): void
  readonly claims: Claims
}

/** Limits a claim to documents whose pages are not stored yet, among the first in the queue. */
export interface Unread {
  exceptTypes: readonly string[]
}

export interface ClaimOptions {
  /** Only the first claim of a transaction may wait for a lock. */
  mayWait: boolean
  /** Only for a database that processes share. */
  unread?: Unread | undefined
}

/** Keeps which process works on which document. */
export interface Claims {
  /** True if other processes may claim documents too. */
  readonly isShared: boolean
  /** Call this before a process looks for documents to claim. */
  prepare(): Promise<void>
  /** Returns the next document of the queue, and locks it. Leaves out the owners in `except`. */
  next(tx: Transaction<Tables>, except: readonly string[], options: ClaimOptions): Promise<{ id: string } | undefined>
  /** Notes that this process works on a document. Returns the lease of the claim, if the database has leases. */
  take(tx: Transaction<Tables>, documentId: string): Promise<Pick<JobRef, 'lease'>>
  /** For a `where` over documents that are processing: this process works on the document. */
  isOwn(): RawBuilder<boolean>
  /** For a `where` over documents that are processing: this process works on the document under the lease of the job. */
  isOf(job: JobRef): RawBuilder<boolean>
  /** Ends the lease of this process, so that its jobs are no longer wanted. Its next claim begins another lease. */
  endLease(): Promise<void>
  /** Forgets the claims of processes that have stopped. Afterwards, `isAbandoned` holds for their documents. */
  forgetStopped(tx: Transaction<Tables>): Promise<void>
  /** For a `where` over documents that are processing: no process works on the document. */
  isAbandoned: RawBuilder<boolean>
}

/**
 * SQLite runs one writing transaction at a time, and a data folder belongs to one process. So no locks are needed, and no other process has claims.
 */
export function sqliteEngine(db: Kysely<Tables>): Engine {
  return {
    transaction: (mode, work) =>
      mode.isStep
        ? db.connection().execute(async (connection) => {
            // A transaction can't change this itself. The file stays whole in a power cut.
            await sql`pragma synchronous = normal`.execute(connection)
            try {
              return await connection.transaction().execute(work)
            } finally {
              await sql`pragma synchronous = full`.execute(connection)
            }
          })
        : db.transaction().execute(work),
    lockIds: async () => {},
    lockOwners: async () => {},
    lockOwnersOf: async () => {},
    committed() {},
    listenerAdded() {},
    claims: {
      isShared: false,
      prepare: async () => {},
      next: findNextQueued,
      take: async () => ({}),
      isOwn: () => sql<boolean>`true`,
      isOf: () => sql<boolean>`true`,
      endLease: async () => {},
      forgetStopped: async () => {},
      isAbandoned: sql<boolean>`true`,
    },
  }
}

/** Returns the next document to claim: of the owner whose last claim is longest ago, the oldest with the fewest attempts. */
export function findNextQueued(db: Kysely<Tables>, except: readonly string[]): Promise<{ id: string } | undefined> {
  return db
    .selectFrom((e) =>
      e
        .selectFrom('queue_turns')
        .select((owner) =>
          owner
            .selectFrom('documents')
            .select('documents.id')
            .where('documents.status', '=', 'queued')
            .whereRef('documents.owner_id', '=', 'queue_turns.owner_id')
            // A document that crashed the daemon comes after documents that were not tried yet, so that it can't hold them up.
            .orderBy('documents.attempts')
            .orderBy('documents.queued_at')
            .orderBy('documents.id')
            .limit(1)
            .as('id'),
        )
        .where(sql<boolean>`waiting > 0`)
        .$if(except.length > 0, (query) => query.where('queue_turns.owner_id', 'not in', except))
        .orderBy('queue_turns.turn')
        .orderBy('queue_turns.owner_id')
        .as('heads'),
    )
    .select('heads.id')
    .where('heads.id', 'is not', null)
    .$narrowType<{ id: string }>()
    .limit(1)
    .executeTakeFirst()
}
