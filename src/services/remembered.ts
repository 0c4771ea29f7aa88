import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'

interface Options<T> {
  read(): Promise<T>
  /** How old a value may be before the next caller has a new one read. */
  forMs: number
  clock: Clock
  log: Logger
  /** What the value is about, for the log. */
  what: string
}

/** A value that takes long to read. Callers get the latest one at once, and an old one is replaced in the background. */
export class Remembered<T> {
  #value: T | null = null
  #askedAt = Number.NEGATIVE_INFINITY
  readonly #options: Options<T>

  constructor(options: Options<T>) {
    this.#options = options
  }

  /** Returns null until the first value has been read. */
  get(): T | null {
    const { read, forMs, clock, log, what } = this.#options
    const now = clock.now().getTime()
    // An old value must not stay after the clock is set back.
    if (Math.abs(now - this.#askedAt) < forMs) return this.#value
    this.#askedAt = now
    read().then(
      (value) => (this.#value = value),
      (error: unknown) => log.warn({ err: error }, `${what} could not be read`),
    )
    return this.#value
  }
}
