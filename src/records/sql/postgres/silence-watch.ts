import type { Client } from 'pg'

/** When a statement gets no answer for this long, the watch asks whether the server answers at all. */
const PATIENCE_MS = 10_000
/** How long the server may take to answer this question. */
const PROBE_MS = 10_000

/** The server has stopped answering. `code` is that of a broken connection, so callers treat both in the same way. */
export class ServerSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(cause: unknown) {
    super('PostgreSQL has stopped answering', { cause })
  }
}

/** Asks the server whether it answers. Returns the waiting connections that the server doesn't know. */
type Probe<Connection> = (waiting: readonly Connection[], signal: AbortSignal) => Promise<readonly Connection[]>

/** A statement that has no answer yet. */
interface Waiting<Connection> {
  readonly connection: Connection
  readonly giveUp: (error: unknown) => void
  timer?: NodeJS.Timeout
}

/**
 * Distinguishes a server that hangs, can't be reached or was replaced from a server that works on a long statement. While a statement runs, a new
 * connection shows whether the server still answers, and still knows the statement's connection. If not, requests fail soon. Migrations and
 * other long statements can take long.
 */
export class SilenceWatch<Connection> {
  readonly #probe: Probe<Connection>
  readonly #patienceMs: number
  readonly #probeMs: number
  readonly #waiting = new Set<Waiting<Connection>>()
  /** All statements that wait share one probe. */
  #probing: Promise<readonly Connection[]> | null = null

  /** `probe` resolves when the server answers. */
  constructor(
    probe: Probe<Connection>,
    { patienceMs, probeMs }: { patienceMs: number; probeMs: number } = { patienceMs: PATIENCE_MS, probeMs: PROBE_MS },
  ) {
    this.#probe = probe
    this.#patienceMs = patienceMs
    this.#probeMs = probeMs
  }

  /** Waits for a statement. Throws `ServerSilent` if no answer will come; close the connection then. */
  async during<T>(statement: Promise<T>, connection: Connection): Promise<T> {
    const { promise: silence, reject } = Promise.withResolvers<never>()
    // Every statement comes here, so this uses a bare timer. Creating and aborting a signal takes ten times as long.
    const waiting: Waiting<Connection> = { connection, giveUp: reject }
    this.#waiting.add(waiting)
    this.#watch(waiting)
    try {
      return await Promise.race([statement, silence])
    } finally {
      this.#waiting.delete(waiting)
      clearTimeout(waiting.timer)
    }
  }

  #watch(waiting: Waiting<Connection>): void {
    waiting.timer = setTimeout(() => void this.#askAbout(waiting), this.#patienceMs).unref()
  }

  /** Never rejects. */
  async #askAbout(waiting: Waiting<Connection>): Promise<void> {
    try {
      const lost = await this.#ask()
      if (lost.includes(waiting.connection)) throw new ServerSilent(new Error('another server answers at its address'))
      if (this.#waiting.has(waiting)) this.#watch(waiting)
    } catch (error) {
      waiting.giveUp(error)
    }
  }

  #ask(): Promise<readonly Connection[]> {
    this.#probing ??= this.#askNow().finally(() => (this.#probing = null))
    return this.#probing
  }

  async #askNow(): Promise<readonly Connection[]> {
    const signal = AbortSignal.timeout(this.#probeMs)
    const tooLate = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    try {
      return await Promise.race([
        this.#probe(
          [...this.#waiting].map(({ connection }) => connection),
          signal,
        ),
        tooLate,
      ])
    } catch (error) {
      throw new ServerSilent(error)
    }
  }
}

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
