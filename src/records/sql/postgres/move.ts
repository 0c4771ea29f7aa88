import { Kysely, sql, type Transaction } from 'kysely'
import { DocsearchError } from '../../../core/errors.ts'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { lockWrites } from './locks.ts'
import type { PostgresServer } from './server.ts'
import { MOVE_SETTING } from './shared-tables.ts'
import { REQUEST_SETTING, REPORT_SETTING } from './writer-settings.ts'

/** The records are being copied into this database, or out of it, or they have left it. Until this ends, no process may write. */
export interface Move {
  state: 'arriving' | 'leaving' | 'left'
  /** Where the records come from or go to, as the user knows it. */
  place: string
}

/** Throws `unavailable` for a value of `current_move()` that is not null. */
export function refuseWrites(move: string | null): void {
  if (move === null) return
  const { state, place } = JSON.parse(move) as Move
  const what = { arriving: 'are being moved from', leaving: 'are being moved to', left: 'were moved to' }[state]
  throw new DocsearchError('unavailable', `The documents of this instance ${what} ${place}. You can't change anything here.`)
}

/** Throws `data_unusable` while there is a move, for a process that would open the records. */
export async function refuseMoved(db: Kysely<Tables>): Promise<void> {
  const move = await currentMove(db)
  if (move === null) return
  const { state, place } = move
  throw new DocsearchError(
    'data_unusable',
    state === 'left'
      ? `The documents of this database were moved to ${place}. Start the instance there. docs/scale.md says how to move them back.`
      : `\`docsearch migrate\` has not finished: it moves documents ${state === 'arriving' ? 'here from' : 'from here to'} ${place}. Run it again with the same arguments.`,
  )
}

export async function currentMove(db: Kysely<Tables>): Promise<Move | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', MOVE_SETTING).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.value) as Move)
}

/** Call this in a transaction that holds the lock of all writes. */
export async function storeMove(tx: Transaction<Tables>, move: Move | null): Promise<void> {
  await tx.deleteFrom('settings').where('name', '=', MOVE_SETTING).execute()
  if (move !== null)
    await tx
      .insertInto('settings')
      .values({ name: MOVE_SETTING, value: JSON.stringify(move) })
      .execute()
}

/** Returns the move of the records of this database, which has the tables of this version. */
export async function readMove(server: PostgresServer): Promise<Move | null> {
  return currentMove(new Kysely<Tables>({ dialect: postgresDialect(server) }))
}

/** Waits for the transactions that are writing. Afterwards, no process can write while there is a move. */
export async function setMove(server: PostgresServer, move: Move | null): Promise<void> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  await db.transaction().execute(async (tx) => {
    await lockWrites(tx)
    await storeMove(tx, move)
  })
}

/** For a query of the settings that are copied to another database: all except those that belong to this database alone. */
export const COPIED_SETTINGS = sql`where name not in (${sql.lit(MOVE_SETTING)}, ${sql.lit(REPORT_SETTING)}, ${sql.lit(REQUEST_SETTING)})`

/** The move, for the first statement of a transaction that writes. */
export const MOVE_IN_QUERY = sql<string | null>`current_move()`
