import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Advisory locks are pairs of numbers. The first one is `docs` in ASCII. */
export const LOCKS = sql.lit(0x646f6373)
/** Held while a transaction writes. Shared transactions hold it together; others hold it alone. */
export const WRITES = sql.lit(1)
/** Held from the choice of ids to the commit. */
export const IDS = sql.lit(2)

/** Held by the process that upgrades the tables. */
export const UPGRADE = sql.lit(3)

/** Waits until no other transaction writes. No other transaction can write until this one ends. */
export async function lockWrites(tx: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS}, ${WRITES})`.execute(tx)
}
