/** Thrown instead of a call while the breaker is open. */
export class BreakerOpen extends Error {
  constructor() {
    super('an earlier call was not answered in time, and none has been since')
  }
}

/** `closed`: calls pass. `open`: a call was not answered in time, and a probe waits for the server's next answer. */
export type BreakerState = 'closed' | 'open'

export interface BreakerOptions {
  /** Makes a small call and waits long for the answer. Resolves also when the answer is an error, and rejects when none comes. */
  probe(signal: AbortSignal): Promise<void>
  /** How long a call waits for an open breaker to close. */
  patienceMs?: number
}

const PATIENCE_MS = 250

/**
 * Keeps calls from waiting for a server that has stopped answering: only the call that notices it waits for its whole deadline. From then on, one
 * probe at a time waits at the server, however long that takes. Its answer closes the breaker, as every other answer does.
 */
export class Breaker {
  readonly #options: BreakerOptions
  /** Null while the breaker is closed. */
  #open: { probing: AbortController; closed: PromiseWithResolvers<void> } | null = null

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  get state(): BreakerState {
    return this.#open === null ? 'closed' : 'open'
  }

  /** Reports that a call got no answer within its deadline. */
  timedOut(): void {
    if (this.#open !== null) return
    this.#open = { probing: new AbortController(), closed: Promise.withResolvers<void>() }
    void this.#probe(this.#open.probing.signal)
  }

  /** Reports an answer, also an error. */
  answered(): void {
    const open = this.#open
    this.#open = null
    open?.closed.resolve()
    open?.probing.abort()
  }

  /** Returns at once while the breaker is closed. Otherwise waits a moment for it to close, and throws BreakerOpen when it does not. */
  async pass(): Promise<void> {
    if (this.#open === null) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => late.reject(new BreakerOpen()), this.#options.patienceMs ?? PATIENCE_MS)
    try {
      await Promise.race([this.#open.closed.promise, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the probe. */
  close(): void {
    this.answered()
  }

  async #probe(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#options.probe(signal)
        this.answered()
      } catch {
        // No answer: the next probe waits for one.
      }
      // A probe that fails at once must not keep this process busy.
      await new Promise(setImmediate)
    }
  }
}
