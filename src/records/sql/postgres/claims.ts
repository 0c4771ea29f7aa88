import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { DocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { ClaimOptions, Claims, Unread } from '../engine.ts'
import type { Tables } from '../tables.ts'

/** How many owners, and documents of each, to look at from the front of the queue. If all can be claimed, they keep a process busy for minutes. */
const OWNERS_AHEAD = 50
const DOCUMENTS_AHEAD = 500

/** This process, as a worker on documents. */
export interface Worker {
  /** The id of the worker. It changes once the lease has expired, because other processes may have taken its documents. */
  readonly id: string
  /** Makes sure that the process has a lease. */
  ensureLease(): Promise<void>
  /** Call this when another process has ended the lease with this id. Does nothing if the worker has another id meanwhile. */
  loseLease(id: string): void
  /** Ends the lease. The next call of `ensureLease` begins another one. */
  endLease(): Promise<void>
}

/**
 * A claim belongs to a worker and lasts as long as the lease of the worker, which renews it while it runs (`LeasedWorker`). So a claim costs one row and
 * no timer of its own. When a frozen process wakes up after its lease, its claims are gone, and it gets another id.
 */
export function createClaims(worker: Worker): Claims {
  return {
    isShared: true,
    next: findAndLock,
    prepare: () => worker.ensureLease(),
    async take(tx, documentId) {
      const { id } = worker
      const { numAffectedRows } = await sql`with lease as (${leaseOf(id)})
        insert into claims (document_id, worker_id) select ${documentId}, id from lease
        on conflict (document_id) do update set worker_id = excluded.worker_id`.execute(tx)
      if (numAffectedRows === 0n) throw leaseLost(worker, id)
      return { lease: id }
    },
    isOwn: () => isClaimedBy(worker.id),
    isOf: ({ lease }) => isClaimedBy(lease ?? null),
    endLease: () => worker.endLease(),
    async forgetStopped(tx) {
      const stopped = await sql<{ id: string }>`delete from workers where lease_until < clock_timestamp() returning id`.execute(
        tx,
      )
      for (const { id } of stopped.rows) worker.loseLease(id)
    },
    isAbandoned: sql<boolean>`not exists (select 1 from claims where document_id = documents.id)`,
  }
}

const isClaimedBy = (workerId: string | null) =>
  sql<boolean>`exists (select 1 from claims where document_id = documents.id and worker_id = ${workerId})`

/** Makes sure that the lease of this process lasts as long as the transaction. Returns its id. Throws `database_busy` if it has expired. */
export async function lockLease(tx: Transaction<Tables>, worker: Worker): Promise<string> {
  const { id } = worker
  const { rows } = await leaseOf(id).execute(tx)
  if (rows.length === 0) throw leaseLost(worker, id)
  return id
}

const leaseOf = (id: string) => sql`select id from workers where id = ${id} for share`

function leaseLost(worker: Worker, id: string): DocsearchError {
  worker.loseLease(id)
  return new DocsearchError('database_busy', 'The lease of this process has expired. Try again.', { retryAfter: 1 })
}

/**
 * Like `findNextQueued`, but locks the owner and then the document, in two statements: the second one sees what the previous holder of the lock has
 * committed. Skips owners that other transactions have locked. Waits for a locked owner only if there is no other one, and if this transaction has
 * locked none.
 */
async function findAndLock(
  tx: Transaction<Tables>,
  except: readonly string[],
  { mayWait, unread }: ClaimOptions,
): Promise<{ id: string } | undefined> {
  const passed = [...except]
  for (;;) {
    const lock = (mode: 'skip locked' | 'wait') => lockOwner(tx, { except: passed, unread, mode })
    const owner = (await lock('skip locked')) ?? (mayWait ? await lock('wait') : undefined)
    if (owner === undefined) return undefined
    const document = await tx
      .selectFrom('documents')
      .select('id')
      .where('status', '=', 'queued')
      .where('owner_id', '=', owner)
      .$if(unread !== undefined, (query) =>
        query.where(sql<boolean>`id in (select id from ${documentsAhead(sql`${owner}`)} where ${isUnread(unread!)})`),
      )
      .orderBy('attempts')
      .orderBy('queued_at')
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (document !== undefined) return document
    passed.push(owner)
  }
}

async function lockOwner(
  tx: Transaction<Tables>,
  { except, unread, mode }: { except: readonly string[]; unread: Unread | undefined; mode: 'skip locked' | 'wait' },
): Promise<string | undefined> {
  const row = await nextOwner(tx, except, unread)
    .forUpdate()
    .$if(mode === 'skip locked', (query) => query.skipLocked())
    .executeTakeFirst()
  return row?.owner_id
}

function nextOwner(db: Kysely<Tables>, except: readonly string[], unread: Unread | undefined) {
  return db
    .selectFrom('queue_turns')
    .select('owner_id')
    .where(sql<boolean>`waiting > 0`)
    .$if(except.length > 0, (query) => query.where('owner_id', 'not in', except))
    .$if(unread !== undefined, (query) => query.where(hasUnread(unread!)))
    .orderBy('turn')
    .orderBy('owner_id')
    .limit(1)
}

/** Returns whether a claim of unread documents would probably find one. Locks nothing. */
export async function isUnreadWaiting(db: Kysely<Tables>, except: readonly string[], unread: Unread): Promise<boolean> {
  return (await nextOwner(db, except, unread).executeTakeFirst()) !== undefined
}

const hasUnread = (unread: Unread) => sql<boolean>`owner_id in (
    select owner_id from queue_turns where waiting > 0 order by turn, owner_id limit ${OWNERS_AHEAD}
  ) and exists (select 1 from ${documentsAhead(sql`queue_turns.owner_id`)} where ${isUnread(unread)})`

/** The documents of an owner that are next in the queue, in the order of the index `documents_queue`. */
const documentsAhead = (owner: RawBuilder<unknown>) => sql`(select id, media_type, version, pages_version from documents
  where status = 'queued' and owner_id = ${owner} order by attempts, queued_at, id limit ${DOCUMENTS_AHEAD}) as ahead`

const isUnread = ({ exceptTypes }: Unread) =>
  sql<boolean>`pages_version is distinct from version and not media_type = any(${exceptTypes})`

/** A lease is renewed this often while it lasts, so that one or two failures lose nothing. */
const RENEWALS = 3

/**
 * The lease of this process on the documents that it claims. The clock of the database decides, because clocks of machines differ. After each
 * renewal, `takeOver` looks for documents of processes whose leases have expired.
 */
export class LeasedWorker implements Worker {
  #id = randomUUID()
  #lease: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #db: Kysely<Tables>
  readonly #log: Logger
  readonly #leaseMs: number
  readonly #takeOver: () => Promise<unknown>

  constructor(options: { db: Kysely<Tables>; log: Logger; leaseMs: number; takeOver: () => Promise<unknown> }) {
    this.#db = options.db
    this.#log = options.log
    this.#leaseMs = options.leaseMs
    this.#takeOver = options.takeOver
  }

  get id(): string {
    return this.#id
  }

  ensureLease(): Promise<void> {
    this.#lease ??= this.#begin().catch((error: unknown) => {
      this.#lease = undefined
      throw error
    })
    return this.#lease
  }

  loseLease(id: string): void {
    if (id !== this.#id) return
    this.#log.warn({}, 'the lease on documents being processed has expired; other processes continue with them')
    this.#lease = undefined
  }

  async endLease(): Promise<void> {
    if (this.#lease === undefined) return
    const id = this.#id
    this.#lease = undefined
    // A renewal that is under way must not take this for a lease that has expired.
    this.#id = randomUUID()
    await sql`delete from workers where id = ${id}`.execute(this.#db)
  }

  /** Releases at once the documents that this process has not finished. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#lease === undefined) return
    this.#lease = undefined
    await sql`update workers set lease_until = '-infinity' where id = ${this.#id}`.execute(this.#db)
  }

  async #begin(): Promise<void> {
    this.#id = randomUUID()
    await sql`insert into workers (id, lease_until) values (${this.#id}, ${this.#end()})`.execute(this.#db)
    this.#timer ??= this.#schedule()
  }

  #end() {
    return sql`clock_timestamp() + ${this.#leaseMs} * interval '1 millisecond'`
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.#renew(), this.#leaseMs / RENEWALS).unref()
  }

  async #renew(): Promise<void> {
    try {
      if (this.#lease !== undefined) {
        // A lease that has not begun yet looks like one that has expired.
        await this.#lease
        const id = this.#id
        const renewal = sql`update workers set lease_until = ${this.#end()} where id = ${id}`
        const { numAffectedRows } = await renewal.execute(this.#db)
        // Another process has taken over the documents: this one was frozen, or could not reach the database.
        if (numAffectedRows === 0n) this.loseLease(id)
      }
      await this.#takeOver()
    } catch (error) {
      this.#log.warn({ err: error }, 'could not renew the lease on documents being processed')
    } finally {
      if (this.#timer !== undefined) this.#timer = this.#schedule()
    }
  }
}
