import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { postgresOfFile } from '../support/postgres-of-file.ts'
import { postgresForTests } from '../support/postgres-records.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'
import { counterConformance } from '../conformance/rate-counter.ts'
import { recordsConformance } from '../conformance/records/suite.ts'

describe.skipIf(!hasPostgres)('in a PostgreSQL server', () => {
  const openServer = postgresOfFile()
  const postgres = postgresForTests(openServer)

  describe('records', () => recordsConformance(postgres.openEmpty))
  describe('counters', () => counterConformance(postgres.openCounters))

  test('has the tables and columns of SQLite', async () => {
    const file = join(await tempFolder(), 'docsearch.db')
    await (await openRecords({ file, clock: testClock(), log: silentLogger })).close()
    const database = new DatabaseSync(file)
    const inSqlite = database
      .prepare(
        `select t.name || '.' || c.name as name from sqlite_schema t, pragma_table_info(t.name) c
          where t.type = 'table' and t.name not like 'sqlite_%'`,
      )
      .all()
      .map((row) => String(row['name']))
    database.close()
    await postgres.openEmpty(testClock())
    const client = await (await openServer()).connect()
    const { rows } = await client.query(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
      [],
    )
    client.release(false)
    const inPostgres = new Set(rows.map((row) => (row as { name: string }).name))
    expect(inSqlite.filter((name) => !inPostgres.has(name))).toEqual([])
  })
})
