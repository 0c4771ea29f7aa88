import { AsyncLocalStorage } from 'node:async_hooks'

/** The number that `nextInOrder` returned last. */
let last = 0

/** Returns a number that is larger than all earlier ones. */
export function nextInOrder(): number {
  return ++last
}

/**
 * Lets several lookups of a request share one query. The lookups may use what docsearch has asked the database since the moment began, but nothing
 * older. So a moment begins after the request has arrived, and the request sees every change that was committed before.
 *
 * Without a moment, every lookup asks the database. Long work needs that, such as a stream of events.
 */
export class Moment {
  readonly began = nextInOrder()
  #running = 0

  /** Runs work whose lookups belong to the moment. After the work has ended, the lookups of a timer that it started no longer do. */
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
