import type { Clock } from '../../../core/clock.ts'
import type { Logger } from '../../../core/logger.ts'
import type { Snapshot } from '../../snapshot.ts'
import { openRecords } from '../open.ts'
import { describeDatabase } from '../snapshot.ts'
import { copyFromPostgres } from './copy.ts'
import type { PostgresServer } from './server.ts'

/** Copies the records in PostgreSQL, as they are at one moment, to a new SQLite file, so that a backup has the same form on both databases. */
export async function snapshotPostgres(options: {
  server: PostgresServer
  /** The new file. */
  copy: string
  clock: Clock
  log: Logger
}): Promise<Snapshot> {
  const { server, copy, clock, log } = options
  await (await openRecords({ file: copy, clock, log })).close()
  await copyFromPostgres({ file: copy, server })
  return describeDatabase(copy)
}
