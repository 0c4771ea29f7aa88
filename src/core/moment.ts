import { AsyncLocalStorage } from 'node:async_hooks'

/** Numbers what happens in this process, in order. */
let last = 0

/** Returns a number that is larger than all earlier ones. */
export function nextInOrder(): number {
  return ++last
}

/**
 * Lets several lookups of a request share one question to the database. What docsearch knows about the database may be as old as the moment, but
 * not older. So a moment begins after the request has arrived, and the request sees every change that was committed before.
 *
 * Without a moment, every lookup asks the database. That is right for work that takes long, such as a stream of events.
 */
export class Moment {
  readonly began = nextInOrder()
  #running = 0

  /** Runs work that may use what is known since the moment. A timer that the work starts may not use it after the work has ended. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      return await moments.run(this, work)
    } finally {
      this.#running--
    }
  }

  get isRunning(): boolean {
    return this.#running > 0
  }
}

const moments = new AsyncLocalStorage<Moment>()

/** Returns the moment in which this code runs, or null. */
export function currentMoment(): Moment | null {
  const moment = moments.getStore()
  return moment?.isRunning === true ? moment : null
}

/** Runs work that sees every change that was committed before this call. */
export function fromNow<T>(work: () => Promise<T>): Promise<T> {
  return new Moment().run(work)
}
