import type { Clock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { Records } from '../../src/records/records.ts'
import { openPostgresRecords } from '../../src/records/sql/postgres/open.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { emptyTables, run } from './empty-postgres.ts'

/** Returns a function that opens empty records on a server. The tests of a file share the tables and connections, because they take long to make. */
export function postgresRecords(start: () => Promise<PostgresServer>): (clock: Clock) => Promise<Records> {
  let now: Clock | undefined
  let opened: Promise<{ server: PostgresServer; records: Records }> | undefined

  async function open() {
    const server = await start()
    const clock: Clock = { now: () => now!.now() }
    return { server, records: await openPostgresRecords({ server, clock, log: silentLogger }) }
  }

  return async (clock) => {
    now = clock
    const { server, records } = await (opened ??= open())
    await emptyTables(server)
    return { ...records, queue: { ...records.queue, recover: () => recoverAfterRestart(server, records) }, close: async () => {} }
  }
}

/** The conformance suite calls `recover` as a process does that starts again: its documents belong to the process that has stopped. */
async function recoverAfterRestart(server: PostgresServer, { queue }: Records): Promise<number> {
  await run(server, `update workers set lease_until = '-infinity'`)
  return queue.recover()
}
