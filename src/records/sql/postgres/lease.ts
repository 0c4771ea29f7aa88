import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { DocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { HeldLease, Lease } from '../../shared.ts'
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
  #held: HeldPostgresLease | null = null
  readonly #options: LeaseOptions

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  async tryTake(onLost: () => void): Promise<HeldLease | null> {
    if (this.#held?.isOver === false) return this.#held
    const { db, name } = this.#options
    const holder = randomUUID()
    let begun = 0
    if (await this.isTaken()) return null
    const isOwn = await db.transaction().execute(async (tx) => {
      // Wait for a transaction in which `requireHolder` has just confirmed the former holder.
      await sql`select pg_advisory_xact_lock_shared(${LOCKS}, ${WRITES})`.execute(tx)
      begun = performance.now()
      // Each holder gets its own fence, even if it writes no index.
      const { numAffectedRows } =
        await sql`update leases set holder = ${holder}, fence = fence + 1, expires_at = ${endOf(this.#options)}
        where name = ${name} and expires_at <= clock_timestamp()`.execute(tx)
      return numAffectedRows === 1n
    })
    if (!isOwn) return null
    this.#held = new HeldPostgresLease(this.#options, { holder, begun, onLost })
    return this.#held
  }

  async isTaken(): Promise<boolean> {
    const { db, name } = this.#options
    const { rows } = await sql`select 1 from leases where name = ${name} and expires_at > clock_timestamp()`.execute(db)
    return rows.length > 0
  }

  async release(): Promise<void> {
    await this.#held?.release()
  }
}

/** Renews the lease from when the process took it until it is over. */
class HeldPostgresLease implements HeldLease {
  readonly holder: string
  /** Until when the lease certainly lasts, by the clock of this process. */
  #heldUntil = Number.NEGATIVE_INFINITY
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  readonly #onLost: () => void
  readonly #options: LeaseOptions

  constructor(options: LeaseOptions, { holder, begun, onLost }: { holder: string; begun: number; onLost: () => void }) {
    this.#options = options
    this.holder = holder
    this.#onLost = onLost
    this.#extend(begun)
  }

  /** True once the process has released or lost the lease. */
  get isOver(): boolean {
    return this.#isOver
  }

  isHeld(): boolean {
    return !this.#isOver && performance.now() < this.#heldUntil
  }

  async isStillHeld(): Promise<boolean> {
    const { db, name } = this.#options
    return !this.#isOver && (await isHolder(db, name, this))
  }

  async nextFence(): Promise<number> {
    const { db, name } = this.#options
    const { rows } = await sql<{ fence: number }>`update leases set fence = fence + 1
      where name = ${name} and holder = ${this.holder} and expires_at > clock_timestamp() returning fence`.execute(db)
    const row = rows[0]
    if (row !== undefined && !this.#isOver) return row.fence
    throw replaced()
  }

  async release(): Promise<void> {
    const { db, name } = this.#options
    if (this.#isOver) return
    this.#end()
    await sql`update leases set expires_at = '-infinity' where name = ${name} and holder = ${this.holder}`.execute(db)
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
    try {
      const { numAffectedRows } = await sql`update leases set expires_at = ${endOf(this.#options)}
        where name = ${name} and holder = ${this.holder} and expires_at > clock_timestamp()`.execute(db)
      if (this.#isOver) return
      if (numAffectedRows === 1n) return this.#extend(begun)
      this.#lose()
    } catch (error) {
      if (this.#isOver) return
      log.warn({ err: error, lease: name }, 'could not renew a lease')
      if (performance.now() >= this.#heldUntil) this.#lose()
      else this.#schedule()
    }
  }

  #lose(): void {
    this.#end()
    this.#options.log.warn({ lease: this.#options.name }, 'a lease of this process has expired; another process can take it')
    this.#onLost()
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#isOver = true
  }
}

/**
 * Throws `writer_replaced` if the lease that the process once took is over. In a transaction that runs alone, no process gets the lease before the
 * end of the transaction.
 */
export async function requireHolder(tx: Transaction<Tables>, name: string, held: Pick<HeldLease, 'holder'>): Promise<void> {
  if (!(await isHolder(tx, name, held))) throw replaced()
}

async function isHolder(db: Kysely<Tables>, name: string, { holder }: Pick<HeldLease, 'holder'>): Promise<boolean> {
  const { rows } = await sql`select 1 from leases
    where name = ${name} and holder = ${holder} and expires_at > clock_timestamp()`.execute(db)
  return rows.length > 0
}

function endOf({ leaseMs }: LeaseOptions) {
  return sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
}

const replaced = () => new DocsearchError('writer_replaced', 'Another process writes this index now.')
