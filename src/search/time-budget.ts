/**
 * Limits how long pieces of work may take together. It counts the processor time of this thread within `run`: work on this thread is what
 * makes other requests wait, and a busy machine must not use up the budget of work that is short.
 */
export class TimeBudget {
  readonly #limitMs: number
  readonly #now: () => number
  #usedMs = 0

  /** `now` returns milliseconds. */
  constructor(limitMs: number, now: () => number = threadTime) {
    this.#limitMs = limitMs
    this.#now = now
  }

  isSpent(): boolean {
    return this.#usedMs >= this.#limitMs
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#now()
    try {
      return await work()
    } finally {
      this.#usedMs += this.#now() - started
    }
  }
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
