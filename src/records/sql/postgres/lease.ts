import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { DocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { Lease } from '../../shared.ts'
import type { Tables } from '../tables.ts'
import { LOCKS, WRITES } from './locks.ts'

/** A lease is renewed this often while it lasts, so that one or two failures lose nothing. */
const RENEWALS = 3

export interface LeaseOptions {
  db: Kysely<Tables>
  log: Logger
  name: string
  leaseMs: number
}

/** A row of `leases`. Renewed while the process runs, so it expires soon after the process was killed, frozen or cut off. */
export class PostgresLease implements Lease {
  /** A new ID each time the process takes the lease. */
  #holder = randomUUID()
  /** Until when the lease certainly lasts, by the clock of this process. */
  #heldUntil = Number.NEGATIVE_INFINITY
  #onLost: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined
  readonly #options: LeaseOptions

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  /** The ID under which the process has the lease, or had it last. */
  get holder(): string {
    return this.#holder
  }

  async tryTake(onLost: () => void): Promise<boolean> {
    if (this.#onLost !== null) return true
    const { db, name } = this.#options
    const holder = randomUUID()
    let begun = 0
    if (await this.isTaken()) return false
    const isOwn = await db.transaction().execute(async (tx) => {
      // Wait for a transaction in which `requireHeld` has just confirmed the former holder.
      await sql`select pg_advisory_xact_lock_shared(${LOCKS}, ${WRITES})`.execute(tx)
      begun = performance.now()
      // Each holder gets its own fence, even if it writes no index.
      const { numAffectedRows } = await sql`update leases set holder = ${holder}, fence = fence + 1, expires_at = ${this.#end()}
        where name = ${name} and expires_at <= clock_timestamp()`.execute(tx)
      return numAffectedRows === 1n
    })
    if (!isOwn) return false
    this.#holder = holder
    this.#onLost = onLost
    this.#extend(begun)
    return true
  }

  isHeld(): boolean {
    return this.#onLost !== null && performance.now() < this.#heldUntil
  }

  async isStillHeld(): Promise<boolean> {
    return this.#onLost !== null && (await this.#isOwn(this.#options.db))
  }

  async nextFence(): Promise<number> {
    const { db, name } = this.#options
    const { rows } = await sql<{ fence: number }>`update leases set fence = fence + 1
      where name = ${name} and holder = ${this.#holder} and expires_at > clock_timestamp() returning fence`.execute(db)
    const row = rows[0]
    if (row !== undefined && this.#onLost !== null) return row.fence
    throw replaced()
  }

  /**
   * Throws `writer_replaced` if this process does not have the lease. In a transaction that runs alone, no other process gets the lease before the
   * end of the transaction.
   */
  async requireHeld(tx: Transaction<Tables>): Promise<void> {
    if (!(await this.#isOwn(tx)) || this.#onLost === null) throw replaced()
  }

  async #isOwn(db: Kysely<Tables>): Promise<boolean> {
    const { name } = this.#options
    const { rows } = await sql`select 1 from leases
      where name = ${name} and holder = ${this.#holder} and expires_at > clock_timestamp()`.execute(db)
    return rows.length > 0
  }

  async isTaken(): Promise<boolean> {
    const { db, name } = this.#options
    const { rows } = await sql`select 1 from leases where name = ${name} and expires_at > clock_timestamp()`.execute(db)
    return rows.length > 0
  }

  async release(): Promise<void> {
    const { db, name } = this.#options
    if (this.#onLost === null) return
    this.#forget()
    await sql`update leases set expires_at = '-infinity' where name = ${name} and holder = ${this.#holder}`.execute(db)
  }

  #end() {
    return sql`clock_timestamp() + ${this.#options.leaseMs} * interval '1 millisecond'`
  }

  /** `begun` is when the renewal was sent. So the lease in the database lasts longer than this process assumes. */
  #extend(begun: number): void {
    this.#heldUntil = begun + this.#options.leaseMs
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#renew(), this.#options.leaseMs / RENEWALS).unref()
  }

  async #renew(): Promise<void> {
    const { db, name, log } = this.#options
    const begun = performance.now()
    const holder = this.#holder
    // The process may have given up the lease meanwhile, and taken it again.
    const isOver = () => this.#onLost === null || this.#holder !== holder
    try {
      const { numAffectedRows } = await sql`update leases set expires_at = ${this.#end()}
        where name = ${name} and holder = ${holder} and expires_at > clock_timestamp()`.execute(db)
      if (isOver()) return
      if (numAffectedRows === 1n) return this.#extend(begun)
      this.#lose()
    } catch (error) {
      if (isOver()) return
      log.warn({ err: error, lease: name }, 'could not renew a lease')
      if (performance.now() >= this.#heldUntil) this.#lose()
      else this.#schedule()
    }
  }

  #lose(): void {
    const onLost = this.#onLost
    this.#forget()
    this.#options.log.warn({ lease: this.#options.name }, 'a lease of this process has expired; another process can take it')
    onLost?.()
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#onLost = null
    this.#heldUntil = Number.NEGATIVE_INFINITY
  }
}

const replaced = () => new DocsearchError('writer_replaced', 'Another process writes this index now.')
