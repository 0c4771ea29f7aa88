import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Counter, MakeCounter, RateState } from '../../../core/rate-counter.ts'
import type { Tables } from '../tables.ts'

/** Each new window deletes at most this many that have ended, so the table stays small whatever keys attackers choose. */
const SWEPT_AT_ONCE = 10

interface Row {
  count: number
  reset_ms: number
}

/** Makes counters that all processes share. The clock of the database decides when a window ends. */
export function sharedCounters(db: Kysely<Tables>): MakeCounter {
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
