import { Kysely, type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import type { Logger } from '../../../core/logger.ts'
import { type PageList, toPageList } from '../../../core/page-list.ts'
import type { MakeCounter, Counter, RateState } from '../../../core/rate-counter.ts'
import type { Records } from '../../records.ts'
import type { Coordination, HeldLease } from '../../shared.ts'
import { composeRecords } from '../compose.ts'
import type { ScanTurn } from '../scan-thread.ts'
import { createIndexes } from '../indexes.ts'
import { MIGRATIONS, type Migrations } from '../migrations.ts'
import { createQueue } from '../queue.ts'
import { createStore, type Store, type WriteTransaction } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { UpgradeOptions } from '../upgrade.ts'
import { createCoordination } from './coordination.ts'
import { postgresDialect } from './dialect.ts'
import { postgresEngine } from './engine.ts'
import { EventWatch } from './event-watch.ts'
import { PostgresLease, requireHolder } from './lease.ts'
import { refuseMoved } from './move.ts'
import type { PostgresServer } from './server.ts'
import { upgradePostgres } from './upgrade.ts'
import { DatabaseVersions } from './versions.ts'
import { LeasedWorker } from './claims.ts'

/** A process that has not renewed its lease for this long loses its documents to others. */
const LEASE_MS = 60_000

export interface Postgres {
  records: Records
  /**
   * Returns the records for the process that writes the index. Changes to the list of indexes, to the record of what they contain, to tombstones and to
   * the whole queue need this lease of the writer. Once it is over, they throw `writer_replaced`. The object store checks the fence of each commit, but
   * it does not see these changes.
   */
  writerRecords(held: HeldLease): Records
  /** Counts requests and failed logins of all processes together. */
  counters: MakeCounter
  coordination: Coordination
  /** Returns how many bytes of the server's disk the database needs. */
  databaseBytes(): Promise<number>
}

/**
 * Opens records in PostgreSQL, which several processes share. Upgrades the database, or creates its tables; of several processes, one does, and the
 * others wait. Throws `data_newer` and `database_busy`.
 */
export async function openPostgres(options: {
  server: PostgresServer
  clock: Clock
  log: Logger
  isAudited?: boolean
  leaseMs?: number
  migrations?: Migrations
  upgrade?: UpgradeOptions
}): Promise<Postgres> {
  const { server, clock, log, isAudited = true, leaseMs = LEASE_MS, migrations = MIGRATIONS, upgrade } = options
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  const versions = new DatabaseVersions(db)
  const watch = new EventWatch(db, log)
  try {
    await upgradePostgres(server, upgrade, migrations)
    await refuseMoved(db)
    const takeOver = async () => {
      if (await hasStoppedWorkers(db)) await records.queue.recover()
    }
    const worker = new LeasedWorker({ db, log, leaseMs, takeOver })
    const engine = postgresEngine(db, worker, {
      committed: (ids) => watch.remember(ids),
      listenerAdded: () => watch.listenerAdded(),
    })
    const store = createStore({
      db,
      clock,
      engine,
      versions: { documentsVersion: neverSame(), membersVersion: () => versions.of('members') },
      scan: (query, turn) => scan(db, query, turn),
      isAudited,
    })
    const records = composeRecords(store, {
      credentialsVersion: () => versions.of('credentials'),
      synonymsVersion: () => versions.of('synonyms'),
      async close() {
        await watch.stop()
        await writer.release().catch((error: unknown) => log.warn({ err: error }, 'could not release a lease'))
        await worker.stop().catch((error: unknown) => log.warn({ err: error }, 'could not release documents'))
        await db.destroy()
      },
    })
    const writer = new PostgresLease({ db, log, name: 'writer', leaseMs })
    const coordination = createCoordination({ store, server, versions, worker, writer })
    await watch.start(server, { wake: store.wake, areWaiting: store.hasListeners })
    const writerRecords = (held: HeldLease) => onlyAsWriter(records, store, (tx) => requireHolder(tx.sql, writer.name, held))
    return { records, writerRecords, counters: sharedCounters(db), coordination, databaseBytes: () => databaseBytes(db) }
  } catch (error) {
    await watch.stop()
    await db.destroy()
    throw error
  }
}

/**
 * Makes callers read again instead of caching. Another process may have changed the data, and a user whose next request reaches this process expects
 * to see the change. Counting the changes of documents would make uploads wait for each other.
 */
function neverSame(): () => number {
  let version = 0
  return () => ++version
}

function onlyAsWriter(records: Records, store: Store, requireHeld: (tx: WriteTransaction) => Promise<void>): Records {
  const asWriter: Store = {
    ...store,
    write: (work) =>
      store.write(async (tx) => {
        await requireHeld(tx)
        return work(tx)
      }),
  }
  const { requeueAll, requeueMany, clearTombstones } = createQueue(asWriter)
  const queue = { ...records.queue, requeueAll, requeueMany, clearTombstones }
  return { ...records, indexes: createIndexes(asWriter), queue }
}

/** PostgreSQL runs the query in a separate process. */
async function scan(db: Kysely<Tables>, query: RawBuilder<{ list: string | null }>, { signal }: ScanTurn): Promise<PageList> {
  signal?.throwIfAborted()
  const { rows } = await query.execute(db)
  return toPageList(rows[0]?.list ?? '')
}

async function databaseBytes(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db)
  return rows[0]!.bytes
}

async function hasStoppedWorkers(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select 1 from workers where lease_until < clock_timestamp() limit 1`.execute(db)
  return rows.length > 0
}

/** Each new window deletes at most this many that have ended, so the table stays small whatever keys attackers choose. */
const SWEPT_AT_ONCE = 10

interface Row {
  count: number
  reset_ms: number
}

/** Makes counters that all processes share. The clock of the database decides when a window ends. */
function sharedCounters(db: Kysely<Tables>): MakeCounter {
  return (options) => createCounter(db, options)
}

function createCounter(db: Kysely<Tables>, { name, limit, seconds }: Parameters<MakeCounter>[0]): Counter {
  const resetMs = sql`extract(epoch from ends_at - clock_timestamp()) * 1000 as reset_ms`
  const isOwn = (key: string) => sql`counter = ${name} and key = ${key}`
  const lasts = sql`ends_at > clock_timestamp()`
  const stateOf = ({ count, reset_ms }: Row): RateState => ({
    isOver: count > limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetMs: Math.max(0, reset_ms),
  })

  return {
    limit,
    async take(key) {
      // One statement, so that simultaneous events are all counted.
      const { rows } = await sql<Row>`insert into rate_windows as w (counter, key, count, ends_at)
        values (${name}, ${key}, 1, clock_timestamp() + ${seconds} * interval '1 second')
        on conflict (counter, key) do update
          set count = case when w.ends_at > clock_timestamp() then w.count + 1 else 1 end,
            ends_at = case when w.ends_at > clock_timestamp() then w.ends_at else excluded.ends_at end
        returning count, ${resetMs}`.execute(db)
      const row = rows[0]!
      if (row.count === 1) await sweep(db)
      return stateOf(row)
    },
    async peek(key) {
      const { rows } = await sql<Row>`select count, ${resetMs} from rate_windows where ${isOwn(key)} and ${lasts}`.execute(db)
      const { count, reset_ms } = rows[0] ?? { count: 0, reset_ms: seconds * 1000 }
      return stateOf({ count: count + 1, reset_ms })
    },
    async takeBack(key) {
      await sql`update rate_windows set count = count - 1 where ${isOwn(key)} and ${lasts} and count > 0`.execute(db)
    },
    async forget(key) {
      await sql`delete from rate_windows where ${isOwn(key)}`.execute(db)
    },
  }
}

async function sweep(db: Kysely<Tables>): Promise<void> {
  await sql`delete from rate_windows where (counter, key) in (select counter, key from rate_windows
    where ends_at <= clock_timestamp() limit ${SWEPT_AT_ONCE} for update skip locked)`.execute(db)
}
