import pLimit from 'p-limit'
import pRetry from 'p-retry'
import { isDocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { StoreState } from '../object-store.ts'
import { hideAnswer, isConditionFailed, isMissing, isPassing, StoreTimeout, toStoreError } from './failures.ts'

export interface Timing {
  /** How long the store may take to begin its answer, to take the next bytes, and to confirm the last ones. */
  answerMs: number
  /** How long a download may stall. */
  stallMs: number
  /** How often a failed request is repeated. */
  retries: number
  /**
   * How long all attempts of a request together may wait in vain. A user waits for the request, and proxies give up after 30 to 60
   * seconds.
   */
  silenceMs: number
  /** The first pause between attempts. Each further pause is twice as long, times a random number from 1 to 2. */
  pauseMs: number
}

export const TIMING: Timing = { answerMs: 10_000, stallMs: 15_000, retries: 4, silenceMs: 20_000, pauseMs: 100 }

const MAX_PAUSE_MS = 3_000
/** Requests that wait for the store at the same time. Downloads that have begun don't count. */
const MAX_REQUESTS = 64

/** Runs one attempt. Aborts it when `touch` is not called for too long. */
export type Attempt<T> = (signal: AbortSignal, touch: () => void) => Promise<T>

/** Sends requests to a store: not too many at once, each with a time limit, and again if it fails for a passing reason. */
export class Requests {
  readonly timing: Timing
  readonly #log: Logger
  readonly #inTurn = pLimit(MAX_REQUESTS)
  readonly #closing = new AbortController()
  /** Why the last request failed. Null if the store answered it. */
  #failure: { message: string } | null = null

  constructor(timing: Timing, log: Logger) {
    this.timing = timing
    this.#log = log
  }

  /** Throws the error of the last attempt. `canRepeat` says whether an error lets the request be repeated. */
  async send<T>(attempt: Attempt<T>, canRepeat = isPassing): Promise<T> {
    const { answerMs, silenceMs } = this.timing
    let timeouts = 0
    const isSilent = (error: unknown) => error instanceof StoreTimeout && ++timeouts * answerMs >= silenceMs
    try {
      const answer = await this.#inTurn(() =>
        pRetry(() => this.#once(attempt), {
          // While the store is down, the callers would wait for one another.
          retries: this.#failure === null ? this.timing.retries : 0,
          minTimeout: this.timing.pauseMs,
          maxTimeout: Math.max(MAX_PAUSE_MS, this.timing.pauseMs),
          randomize: true,
          signal: this.#closing.signal,
          shouldRetry: ({ error }) => canRepeat(error) && !isSilent(error),
        }),
      )
      this.noteAnswer()
      return answer
    } catch (error) {
      this.#noteFailure(error)
      throw error
    }
  }

  /** Like `send`, but throws `store_unavailable` or `store_refused`. */
  async sendOrExplain<T>(attempt: Attempt<T>): Promise<T> {
    try {
      return await this.send(attempt)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  noteAnswer(): void {
    if (this.#failure !== null) this.#log.info({}, 'the object store answers again')
    this.#failure = null
  }

  state(): StoreState {
    if (this.#failure === null) return { status: 'ok', message: 'The object store answers.' }
    return { status: 'degraded', message: this.#failure.message }
  }

  close(): void {
    this.#closing.abort(new Error('the object store is closed'))
  }

  async #once<T>(attempt: Attempt<T>): Promise<T> {
    const { answerMs } = this.timing
    const controller = new AbortController()
    const late = () => controller.abort(new StoreTimeout(`no answer within ${answerMs / 1000} s`))
    const timer = setTimeout(late, answerMs)
    const signal = AbortSignal.any([controller.signal, this.#closing.signal])
    try {
      return await attempt(signal, () => timer.refresh())
    } catch (error) {
      hideAnswer(error)
      // The reason says more than the SDK's AbortError.
      throw signal.aborted ? signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  #noteFailure(cause: unknown): void {
    // Answers such as "there is no such object" are not failures of the store.
    if (this.#closing.signal.aborted || isMissing(cause) || isConditionFailed(cause)) return
    const error = toStoreError(cause)
    if (!isDocsearchError(error)) return
    if (this.#failure === null) this.#log.warn({ err: cause }, 'the object store fails')
    this.#failure = { message: error.message }
  }
}
