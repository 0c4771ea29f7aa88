import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Logger } from '../../../core/logger.ts'
import type { Tables } from '../tables.ts'
import type { Worker } from './claims.ts'

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
