import { Worker } from 'node:worker_threads'
import { builtModule } from '../../core/built-module.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { PageList } from '../../core/page-list.ts'
import { TurnQueue } from '../../core/turns.ts'
import { translateSqlError } from './errors.ts'
import type { Scan, ScanAnswer } from './scan-protocol.ts'

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
 * A thread with a connection of its own, for queries that read many rows. SQLite blocks the thread that calls it, and the main thread has to answer
 * other requests. One query runs at a time.
 */
export class ScanThread {
  readonly #file: string
  readonly #queue = new TurnQueue<Waiting>()
  #worker: Worker | null = null
  #running: Waiting | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(file: string) {
    this.#file = file
  }

  /** Throws `rate_limited` and `unavailable`, what `translateSqlError` returns, and the reason of the signal. */
  async run(scan: Scan, { userId, signal }: ScanTurn): Promise<PageList> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw unavailable('The daemon is stopping. Try again after it has started.')
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
    this.#next()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const stopping = unavailable('The daemon is stopping. Try again after it has started.')
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) next.reject(stopping)
    await this.#end(stopping)
  }

  #next(): void {
    if (this.#running !== null || this.#isClosed) return
    clearTimeout(this.#timer)
    const waiting = this.#queue.shift()
    if (waiting === undefined) {
      if (this.#worker !== null) this.#timer = setTimeout(() => this.#endIdle(), IDLE_MS).unref()
      return
    }
    this.#running = waiting
    this.#worker ??= this.#start()
    this.#worker.postMessage(waiting.scan)
    this.#timer = setTimeout(() => void this.#end(tookTooLong()), MAX_MS).unref()
  }

  #start(): Worker {
    const worker = new Worker(MAIN, { workerData: this.#file })
    worker.unref()
    const onLost = (error: unknown) => {
      if (this.#worker !== worker) return
      this.#worker = null
      this.#settle((running) => running.reject(translateSqlError(error)))
    }
    return worker
      .on('message', (answer: ScanAnswer) =>
        this.#settle(({ resolve, reject }) => {
          if ('list' in answer) resolve(answer.list)
          else reject(translateSqlError(Object.assign(new Error(answer.error.message), answer.error)))
        }),
      )
      .on('error', onLost)
      .on('exit', () => onLost(new Error('the thread that scans the database has ended')))
  }

  #settle(how: (running: Waiting) => void): void {
    const running = this.#running
    this.#running = null
    if (running !== null) how(running)
    this.#next()
  }

  #endIdle(): void {
    const worker = this.#worker
    this.#worker = null
    void worker?.terminate()
  }

  /** Ends the thread. SQLite can't be interrupted, so the next query starts only when the thread has really ended. */
  async #end(cause: unknown): Promise<void> {
    clearTimeout(this.#timer)
    this.#running?.reject(cause)
    await this.#worker?.terminate()
  }
}

function unavailable(message: string): DocsearchError {
  return new DocsearchError('unavailable', message, { retryAfter: 10 })
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
