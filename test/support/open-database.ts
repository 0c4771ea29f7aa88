import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../src/core/clock.ts'
import type { Logger } from '../../src/core/logger.ts'
import type { Records } from '../../src/records/records.ts'
import { openRecordsIn } from './temp-records.ts'

const isPostgres = (database: string) => database.startsWith('postgres:')

/** Opens the records in an SQLite file, or in the PostgreSQL database with this address. */
export async function openDatabase(database: string, { clock, log }: { clock: Clock; log: Logger }): Promise<Records> {
  if (!isPostgres(database)) return openRecordsIn({ file: database, clock, log })
  const [{ pgServer }, { openPostgres }] = await Promise.all([
    import('../../src/records/sql/postgres/pg-server.ts'),
    import('../../src/records/sql/postgres/open.ts'),
  ])
  const server = await pgServer({ url: database, log })
  return (await openPostgres({ server, clock, log })).records
}

/** Runs a statement on an SQLite file or a PostgreSQL database while an instance uses it, and returns the rows. */
export async function runSql<T>(database: string, sql: string): Promise<T[]> {
  if (isPostgres(database)) {
    const { withClient } = await import('./postgres-server.ts')
    return withClient(database, async (client) => (await client.query(sql)).rows as T[])
  }
  const db = new DatabaseSync(database)
  try {
    return db.prepare(sql).all() as T[]
  } finally {
    db.close()
  }
}

/** Returns everything that a database stores: the bytes of the SQLite file and its journal, or all values in PostgreSQL. */
export async function storedBytes(database: string): Promise<string[]> {
  if (!isPostgres(database)) {
    const files = (await readdir(dirname(database))).filter((name) => name.startsWith(basename(database)))
    return Promise.all(files.map((name) => readFile(join(dirname(database), name), 'latin1')))
  }
  const { withClient } = await import('./postgres-server.ts')
  return withClient(database, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema()',
    )
    const values: string[] = []
    for (const { name } of tables)
      for (const row of (await client.query<Record<string, unknown>>(`select * from "${name}"`)).rows)
        values.push(
          ...Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value))),
        )
    return values
  })
}
