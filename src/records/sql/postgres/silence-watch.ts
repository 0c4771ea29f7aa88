import { setTimeout } from 'node:timers/promises'

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

/**
 * Distinguishes a server that hangs, can't be reached or was replaced from a server that works on a long statement. While a statement runs, a new
 * connection shows whether the server still answers, and still knows the statement's connection. If not, requests fail soon. Migrations and
 * other long statements can take long.
 */
export class SilenceWatch<Connection> {
  readonly #probe: Probe<Connection>
  readonly #patienceMs: number
  readonly #probeMs: number
  /** The connections of all running statements. */
  readonly #waiting = new Map<object, Connection>()
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
    const ended = new AbortController()
    this.#waiting.set(ended, connection)
    try {
      return await Promise.race([statement, this.#silence(connection, ended.signal)])
    } finally {
      this.#waiting.delete(ended)
      ended.abort()
    }
  }

  /** Rejects when no answer will come, or with the reason of the signal. */
  async #silence(connection: Connection, signal: AbortSignal): Promise<never> {
    for (;;) {
      await setTimeout(this.#patienceMs, undefined, { signal, ref: false })
      const lost = await this.#ask()
      if (lost.includes(connection)) throw new ServerSilent(new Error('another server answers at its address'))
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
      return await Promise.race([this.#probe([...this.#waiting.values()], signal), tooLate])
    } catch (error) {
      throw new ServerSilent(error)
    }
  }
}
