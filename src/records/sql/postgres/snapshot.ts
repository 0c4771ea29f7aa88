import { Kysely } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import type { Logger } from '../../../core/logger.ts'
import type { Snapshot } from '../../backups.ts'
import { openRecords } from '../open.ts'
import { describeDatabase } from '../snapshot.ts'
import type { Tables } from '../tables.ts'
import { readState } from '../upgrade.ts'
import { copyFromPostgres } from './copy.ts'
import { postgresDialect } from './dialect.ts'
import type { PostgresServer } from './server.ts'

/**
 * Copies the records in PostgreSQL, as they are at one moment, to a new SQLite file, so that a backup has the same format on both
 * databases. Throws `data_newer` if a newer version of docsearch has upgraded the database since this process started, because this
 * version does not know all tables.
 */
export async function snapshotPostgres(options: {
  server: PostgresServer
  /** The new file. */
  copy: string
  clock: Clock
  log: Logger
}): Promise<Snapshot> {
  const { server, copy, clock, log } = options
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  await readState(db, { version: undefined, holder: 'database' })
  await (await openRecords({ file: copy, clock, log })).close()
  await copyFromPostgres({ file: copy, server })
  return describeDatabase(copy)
}
