import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import type { Tables } from '../tables.ts'
import { createClaims, type Worker } from './claims.ts'
import { isConflict } from './errors.ts'
import { IDS, LOCKS, WRITES } from './locks.ts'
import { MOVE_IN_QUERY, refuseWrites } from './move.ts'

export const EVENTS_CHANNEL = 'docsearch_events'
/** Deadlocks are rare, because transactions lock owners first and in order. */
const MAX_ATTEMPTS = 10
const PAUSE_MS = 20

/**
 * Transactions run alone, as on SQLite, except for the frequent ones (`SHARED`), which run at the same time. Owners are locked by their rows in
 * `queue_turns`. All locks end with the transaction, and PostgreSQL ends the transaction of a process that hangs.
 */
export function postgresEngine(db: Kysely<Tables>, worker: Worker, events: Pick<Engine, 'committed' | 'listenerAdded'>): Engine {
  return {
    // A step is as durable as every other transaction. Otherwise, a crash of PostgreSQL could undo steps of a process that goes on, and nobody would
    // repeat them. Unlike on SQLite, nothing else waits for the disk.
    async transaction({ isShared }, work) {
      const lock = sql.raw(isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.transaction().execute(async (tx) => {
            const began = sql<{ move: string | null }>`select ${lock}(${LOCKS}, ${WRITES}), ${MOVE_IN_QUERY} as move`
            const { rows } = await began.execute(tx)
            refuseWrites(rows[0]!.move)
            return work(tx)
          })
        } catch (error) {
          if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
          await setTimeout(Math.random() * PAUSE_MS * attempt)
        }
      }
    },
    async lockIds(tx, { hasEvents }) {
      const ring = hasEvents ? sql`pg_notify(${sql.lit(EVENTS_CHANNEL)}, '')` : sql`true`
      await sql`select pg_advisory_xact_lock(${LOCKS}, ${IDS}), ${ring}`.execute(tx)
    },
    lockOwners,
    async lockOwnersOf(tx, documentIds) {
      if (documentIds.length === 0) return
      const owners = await tx.selectFrom('documents').select('owner_id').distinct().where('id', 'in', documentIds).execute()
      await lockOwners(
        tx,
        owners.map((row) => row.owner_id),
      )
    },
    ...events,
    claims: createClaims(worker),
  }
}

async function lockOwners(tx: Transaction<Tables>, ownerIds: readonly string[]): Promise<void> {
  if (ownerIds.length === 0) return
  const lock = () =>
    tx.selectFrom('queue_turns').select('owner_id').where('owner_id', 'in', ownerIds).orderBy('owner_id').forUpdate().execute()
  const locked = new Set((await lock()).map((row) => row.owner_id))
  const missing = ownerIds.filter((id) => !locked.has(id)).map((owner_id) => ({ owner_id, turn: 0, waiting: 0 }))
  if (missing.length === 0) return
  // An owner without a document has no row yet.
  await tx
    .insertInto('queue_turns')
    .values(missing)
    .onConflict((c) => c.doNothing())
    .execute()
  await lock()
}
