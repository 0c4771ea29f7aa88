import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { processorTime } from '../../../test/support/processor-time.ts'
import { withClient } from '../../../test/support/postgres-server.ts'
import { StoreLog, type StoreRequest } from './store-log.ts'

/** The resources that some work has used, for each kind of process. */
export interface Usage {
  /** From the beginning of the work until all processes are at rest. */
  elapsedMs: number
  /** Processor time, with child processes. */
  cpuMs: Record<string, number>
  /** Statements and transactions of PostgreSQL. */
  statements: number
  transactions: number
  walBytes: number
  requests: StoreRequest[]
  /** Bytes that the store has sent. */
  sentBytes: number
}

export interface UsageOptions {
  /** The running processes of each kind. */
  pids: () => Record<string, number[]>
  postgres: { admin: string }
  database: string
  store: { pid: number; accessLog: string }
}

type Counters = Omit<Usage, 'elapsedMs' | 'requests' | 'sentBytes'> & { written: number }

export class UsageMeter {
  readonly #options: UsageOptions
  readonly #log: StoreLog

  constructor(options: UsageOptions) {
    this.#options = options
    this.#log = new StoreLog(options.store.accessLog)
  }

  /** Runs work and waits until all processes are at rest, so that the merges that follow from the work count, too. */
  async during<T>(work: () => Promise<T>): Promise<{ value: T; usage: Usage }> {
    await this.rest()
    const before = await this.#counters()
    const began = performance.now()
    this.#log.take()
    const value = await work()
    const bench = process.cpuUsage()
    await this.rest()
    const after = await this.#counters()
    const { requests, logBytes } = this.#log.take()
    const stored = requests.reduce((sum, { bytes }) => sum + bytes, 0)
    const cpuMs = Object.fromEntries(Object.entries(after.cpuMs).map(([kind, ms]) => [kind, ms - (before.cpuMs[kind] ?? 0)]))
    return {
      value,
      usage: {
        elapsedMs: performance.now() - began,
        cpuMs: { ...cpuMs, 'load generator': (bench.user + bench.system) / 1000 - before.cpuMs['load generator']! },
        statements: after.statements - before.statements,
        transactions: after.transactions - before.transactions,
        walBytes: after.walBytes - before.walBytes,
        requests,
        sentBytes: Math.max(0, after.written - before.written - stored - logBytes),
      },
    }
  }

  /** Waits until the processes together use less than a twentieth of a core. */
  async rest(): Promise<void> {
    const total = () => Object.values(this.#times()).reduce((sum, ms) => sum + ms, 0)
    for (let i = 0; i < 60; i++) {
      const before = total()
      await sleep(1_000)
      if (total() - before < 50) return
    }
  }

  #times(): Record<string, number> {
    const kinds = Object.entries(this.#options.pids())
    return Object.fromEntries(kinds.map(([kind, pids]) => [kind, pids.reduce((sum, pid) => sum + processorTime(pid), 0)]))
  }

  async #counters(): Promise<Counters> {
    const { postgres, database, store } = this.#options
    const sql = await withClient(postgres.admin, async (client) => {
      const { rows } = await client.query<Record<'statements' | 'transactions' | 'wal', string>>(
        `select (select sum(calls) from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1) as statements,
          (select xact_commit + xact_rollback from pg_stat_database where datname = $1) as transactions,
          (select wal_bytes from pg_stat_wal) as wal`,
        [database],
      )
      return rows[0]!
    })
    const bench = process.cpuUsage()
    return {
      cpuMs: { ...this.#times(), 'load generator': (bench.user + bench.system) / 1000 },
      statements: Number(sql.statements),
      transactions: Number(sql.transactions),
      walBytes: Number(sql.wal),
      written: Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${store.pid}/io`, 'utf8'))![1]),
    }
  }
}

/** Adds up the usage of several rounds of the same work. */
export function sumOf(all: readonly Usage[]): Usage {
  return all.reduce((a, b) => ({
    elapsedMs: a.elapsedMs + b.elapsedMs,
    cpuMs: Object.fromEntries(
      Object.keys({ ...a.cpuMs, ...b.cpuMs }).map((kind) => [kind, (a.cpuMs[kind] ?? 0) + (b.cpuMs[kind] ?? 0)]),
    ),
    statements: a.statements + b.statements,
    transactions: a.transactions + b.transactions,
    walBytes: a.walBytes + b.walBytes,
    requests: [...a.requests, ...b.requests],
    sentBytes: a.sentBytes + b.sentBytes,
  }))
}
