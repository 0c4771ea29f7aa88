import { builtModule } from '../../core/built-module.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { PageList } from '../../core/page-list.ts'
import { CallTookTooLong, Thread, ThreadLost } from '../../core/thread.ts'
import { TurnQueue } from '../../core/turns.ts'
import { translateSqlError } from './errors.ts'
import type { Scan, ScanCalls } from './scan-main.ts'

const MAIN = builtModule(new URL('./scan-main.ts', import.meta.url))
/** Far longer than a million messages take on a slow machine. */
const MAX_MS = 30_000
/** How long a query may wait for the queries of other users, and how many queries of one user may wait. */
const MAX_WAIT_MS = 30_000
const MAX_WAITING = 20
/** A thread that has no work for this long ends, to free its memory. */
const IDLE_MS = 30_000

/** On whose behalf a query runs. Users take turns. */
export interface ScanTurn {
  userId: string
  signal?: AbortSignal | undefined
}

interface Waiting {
  scan: Scan
  resolve: (list: PageList) => void
  reject: (error: unknown) => void
}

/**
 * A thread with a separate connection, for queries that read many rows. SQLite blocks the thread that calls it, and the main thread has to answer
 * other requests. One query runs at a time.
 */
export class ScanThread {
  readonly #thread: Thread<ScanCalls>
  readonly #queue = new TurnQueue<Waiting>()
  #isWorking = false
  #isClosed = false

  constructor(file: string) {
    this.#thread = new Thread(MAIN, { workerData: file, maxMs: MAX_MS, idleMs: IDLE_MS })
  }

  /** Throws `rate_limited` and `unavailable`, what `translateSqlError` returns, and the reason of the signal. */
  async run(scan: Scan, { userId, signal }: ScanTurn): Promise<PageList> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw stopping()
    if (this.#queue.lengthOf(userId) >= MAX_WAITING) throw tooManyWaiting()
    const { promise, resolve, reject } = Promise.withResolvers<PageList>()
    const waiting = { scan, resolve, reject }
    const giveUp = (reason: unknown) => {
      if (this.#queue.remove(waiting)) reject(reason)
    }
    const onAbort = () => giveUp(signal!.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const tooLong = () => giveUp(unavailable(`The search waited ${MAX_WAIT_MS / 1000} s for other searches. Try again later.`))
    const timer = setTimeout(tooLong, MAX_WAIT_MS).unref()
    this.#queue.push(userId, waiting)
    void this.#work()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) next.reject(stopping())
    await this.#thread.close()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { scan, resolve, reject } = next
      await this.#thread.call('scan', scan).then(resolve, (error: unknown) => reject(this.#translate(error)))
      // SQLite can't be interrupted, so the next query starts only when a thread that took too long has really ended.
      await this.#thread.ended()
    }
    this.#isWorking = false
  }

  #translate(error: unknown): unknown {
    const cause = error instanceof ThreadLost ? error.cause : error
    if (this.#isClosed) return stopping()
    return cause instanceof CallTookTooLong ? tookTooLong() : translateSqlError(cause)
  }
}

function unavailable(message: string): DocsearchError {
  return new DocsearchError('unavailable', message, { retryAfter: 10 })
}

function stopping(): DocsearchError {
  return unavailable('The daemon is stopping. Try again after it has started.')
}

function tookTooLong(): DocsearchError {
  return unavailable(
    `The search compared the headers of messages for ${MAX_MS / 1000} s and did not finish. Search in fewer projects, or try again later.`,
  )
}

function tooManyWaiting(): DocsearchError {
  return new DocsearchError('rate_limited', 'Too many of your searches are waiting. Try again when some of them have ended.', {
    retryAfter: 1,
  })
}
