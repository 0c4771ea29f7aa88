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

/**
 * Distinguishes a server that hangs or can't be reached from a server that works on a long statement. While a statement runs, a new
 * connection shows whether the server still answers. So requests fail soon if the server hangs, and migrations and other long statements
 * can take long.
 */
export class SilenceWatch {
  readonly #probe: (signal: AbortSignal) => Promise<void>
  readonly #patienceMs: number
  readonly #probeMs: number
  /** All statements that wait share one probe. */
  #probing: Promise<void> | null = null

  /** `probe` resolves when the server answers. */
  constructor(
    probe: (signal: AbortSignal) => Promise<void>,
    { patienceMs, probeMs }: { patienceMs: number; probeMs: number } = { patienceMs: PATIENCE_MS, probeMs: PROBE_MS },
  ) {
    this.#probe = probe
    this.#patienceMs = patienceMs
    this.#probeMs = probeMs
  }

  /** Waits for a statement. Throws `ServerSilent` if the server stops answering; close the connection then. */
  async during<T>(statement: Promise<T>): Promise<T> {
    const ended = new AbortController()
    try {
      return await Promise.race([statement, this.#silence(ended.signal)])
    } finally {
      ended.abort()
    }
  }

  /** Rejects when the server has stopped answering, or with the reason of the signal. */
  async #silence(signal: AbortSignal): Promise<never> {
    for (;;) {
      await setTimeout(this.#patienceMs, undefined, { signal, ref: false })
      await this.#ask()
    }
  }

  #ask(): Promise<void> {
    this.#probing ??= this.#askNow().finally(() => (this.#probing = null))
    return this.#probing
  }

  async #askNow(): Promise<void> {
    const signal = AbortSignal.timeout(this.#probeMs)
    const tooLate = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    try {
      await Promise.race([this.#probe(signal), tooLate])
    } catch (error) {
      throw new ServerSilent(error)
    }
  }
}
