import type { Clock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { Records } from '../../src/records/records.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { emptyTables, run } from './empty-postgres.ts'
import { testClock } from './test-clock.ts'

/** Opens empty records and counters on a server. The tests of a file share the tables and connections, because they take long to make. */
export function postgresForTests(start: () => Promise<PostgresServer>) {
  let now: Clock = testClock()
  let opening: ReturnType<typeof open> | undefined

  async function open() {
    const server = await start()
    const opened = await openPostgres({ server, clock: { now: () => now.now() }, log: silentLogger })
    return { server, ...opened }
  }

  async function empty() {
    const all = await (opening ??= open())
    await emptyTables(all.server)
    return all
  }

  return {
    async openEmpty(clock: Clock): Promise<Records> {
      now = clock
      const { server, records } = await empty()
      return {
        ...records,
        queue: { ...records.queue, recover: () => recoverAfterRestart(server, records) },
        close: async () => {},
      }
    },
    /** Opens the tables of the last `openEmpty` again, with their rows. */
    async openSame(clock: Clock): Promise<Records> {
      now = clock
      const { records } = await (opening ??= open())
      return { ...records, close: async () => {} }
    },
    async openCounters() {
      const { server, counters } = await empty()
      return { counters, endWindows: () => run(server, 'update rate_windows set ends_at = clock_timestamp()') }
    },
    async close() {
      await (await opening)?.records.close()
    },
  }
}

/** The conformance suite calls `recover` like a process that starts again: the documents belong to the stopped process. */
async function recoverAfterRestart(server: PostgresServer, { queue }: Records): Promise<number> {
  await run(server, `update workers set lease_until = '-infinity'`)
  return queue.recover()
}
