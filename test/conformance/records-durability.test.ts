import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { nodeSqliteDialect } from '../../src/records/sql/dialect.ts'
import { sqliteEngine } from '../../src/records/sql/engine.ts'
import { createStore, type WriteTransaction } from '../../src/records/sql/store.ts'
import type { Tables } from '../../src/records/sql/tables.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'

/** With 1, SQLite does not sync a commit. With 2, it does. */
async function syncLevel(tx: WriteTransaction): Promise<number> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx.sql)
  return rows[0]!.synchronous
}

test('only steps that can be repeated are not synced, also after one that failed', async () => {
  const database = new DatabaseSync(join(await tempFolder(), 'docsearch.db'))
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
  onTestFinished(() => db.destroy())
  const fail = async () => {
    throw new Error('no')
  }
  const store = createStore({
    db,
    clock: testClock(),
    engine: sqliteEngine(db),
    versions: { documentsVersion: () => 0, membersVersion: () => 0 },
    scan: fail,
    isAudited: true,
  })
  // They run one after another, in this order.
  const levels = await Promise.allSettled([
    store.write(syncLevel),
    store.writeStep(syncLevel),
    store.write(syncLevel),
    store.writeStep(fail),
    store.write(syncLevel),
  ])
  expect(levels.map((level) => (level.status === 'fulfilled' ? level.value : 'failed'))).toEqual([2, 1, 2, 'failed', 2])
})
