/**
 * Limits the total time of several pieces of work. It counts the processor time of this thread within `run`, because only work on
 * this thread makes other requests wait. On a busy machine, wall time would use up the budget of short work.
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
