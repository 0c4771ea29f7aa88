import type { Client } from 'pg'

/** A connection, and the server's process at its other end. */
export interface Served {
  /** Null if the other end didn't say, as some poolers don't. */
  pid: number | null
  /** When the connection was made, in milliseconds of `performance.now()`. */
  since: number
}

/** The process of a server, as the server sees it. */
interface ServerProcess {
  pid: number
  /** Null if the server doesn't say. */
  age: number | null
}

/** How much younger than its connection a process may seem, because clocks differ. */
const CLOCK_MS = 5_000
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/

const PROCESSES = `select pid, pid = pg_backend_pid() as is_own,
  (extract(epoch from clock_timestamp() - backend_start) * 1000)::int8 as age
  from pg_stat_activity where pid = any($1::int[])`

export function pidOf(client: object): number | null {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : null
}

/**
 * Resolves if a server answers, even if it refuses the connection, for example because it has too many connections. Returns the waiting connections
 * that this server doesn't know. After a failover, another server answers at the same address, and the former server answers no more.
 */
export async function probe(client: Client, waiting: readonly Served[], signal: AbortSignal): Promise<Served[]> {
  client.on('error', () => {})
  const stop = () => void client.end().catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    await client.connect()
    const own = pidOf(client)
    const pids = [own, ...waiting.map(({ pid }) => pid)].filter((pid) => pid !== null)
    const { rows } = await client.query<ServerProcess & { is_own: boolean }>(PROCESSES, [pids])
    // A pooler such as PgBouncer invents process numbers, so they don't show which connections are lost.
    if (!rows.some(({ pid, is_own }) => is_own && pid === own)) return []
    return unknownTo(rows, waiting)
  } catch (error) {
    if (!isAnswer(error)) throw error
    return []
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** True for an error that the server sent. Its code has a digit, unlike `EPIPE`, which also has five characters. */
export function isAnswer(error: unknown): boolean {
  return SQLSTATE.test(String((error as { code?: unknown }).code))
}

/** If a process is younger than the connection, it has the same number by chance. This happens in containers, where numbers are small. */
export function unknownTo(processes: readonly ServerProcess[], waiting: readonly Served[], now = performance.now()): Served[] {
  const ages = new Map(processes.map(({ pid, age }) => [pid, age ?? Infinity]))
  return waiting.filter(({ pid, since }) => pid !== null && (ages.get(pid) ?? -Infinity) < now - since - CLOCK_MS)
}
