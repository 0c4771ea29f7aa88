import pLimit from 'p-limit'
import pRetry from 'p-retry'
import { isDocsearchError, DocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { StoreState } from '../object-store.ts'

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

/** The part of the SDK's errors that docsearch looks at. */
interface ServiceError extends Error {
  code?: string
  $metadata?: { httpStatusCode?: number }
}

/** An attempt that ran out of time. */
export class StoreTimeout extends Error {
  override name = 'StoreTimeout'
}

/** A connection that ended before the last byte of an object, or an answer that is not that of an S3 store. */
export class BadAnswer extends Error {
  override name = 'BadAnswer'
}

/** The name of the SDK's error when it could not connect in time. */
const NO_CONNECTION = 'TimeoutError'
/** When a client may try again. */
const RETRY_SECONDS = 5
/** Answers after which a repeated request can succeed. 409 is S3's answer to two conditional writes at the same time. */
const PASSING_STATUS = new Set([408, 409, 425, 429, 500, 502, 503, 504, 509])
/** Like PASSING_STATUS, for errors with other statuses. */
const PASSING_NAMES = new Set([
  // The SDK signs the next request with the store's time, or with a new credential.
  'RequestTimeTooSkewed',
  'ExpiredToken',
  'ExpiredTokenException',
  // Bytes got lost or changed on their way.
  'BadDigest',
  'IncompleteBody',
  'RequestTimeout',
  'XAmzContentSHA256Mismatch',
])

/** Fields of errors that docsearch uses or logs. */
const FIELDS = new Set(
  'name message stack cause code errno syscall path address port Code RequestId HostId $fault $metadata'.split(' '),
)

/**
 * Removes all other fields of an error. Some come from the store's answer and contain credentials: Amazon S3 repeats a session token that has
 * expired.
 */
function hideAnswer(error: unknown): void {
  if (!(error instanceof Error) || error instanceof DocsearchError) return
  for (const field of Object.keys(error)) if (!FIELDS.has(field)) Reflect.deleteProperty(error, field)
}

function statusOf(error: unknown): number | undefined {
  return (error as ServiceError).$metadata?.httpStatusCode
}

export function isMissing(error: unknown): boolean {
  const { name } = error as Error
  return statusOf(error) === 404 && name !== 'NoSuchBucket'
}

/** True if a conditional write was not carried out because of its condition. */
export function isConditionFailed(error: unknown): boolean {
  return statusOf(error) === 412
}

/** True if the same request can succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreTimeout || error instanceof BadAnswer) return true
  const status = statusOf(error)
  // An error without an answer: no connection, or one that broke. An error of the file system has no answer either, but is about a local file.
  if (status === undefined) return !isAboutLocalFile(error) && !isAboutCredentials(error)
  // A successful answer that can't be read was damaged on its way.
  return status < 300 || PASSING_STATUS.has(status) || PASSING_NAMES.has((error as Error).name)
}

/** True if the store may have carried out a request that failed. */
export function isAmbiguous(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status >= 500 || status === 408 || status < 300
}

/** Turns the SDK's error into one that an operator can act on. Returns errors about local files as they are. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof DocsearchError || isAboutLocalFile(error)) return error
  const said = reasonOf(error)
  if (isPassing(error))
    return new DocsearchError('store_unavailable', `The object store does not answer: ${said}. docsearch tries again.`, {
      cause: error,
      retryAfter: RETRY_SECONDS,
    })
  return new DocsearchError(
    'store_refused',
    `The object store refuses a request: ${said}. Check the bucket, the credentials and their permissions.`,
    { cause: error, retryAfter: RETRY_SECONDS },
  )
}

/** Returns what is wrong in a few words, without the request, its headers or an address. */
function reasonOf(error: unknown): string {
  if (error instanceof StoreTimeout || error instanceof BadAnswer) return error.message
  const { name, code, cause } = error as ServiceError
  if (name === NO_CONNECTION && code === undefined) return 'no connection in time'
  const status = statusOf(error)
  const known = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? name
  return status === undefined ? known : `${name === 'Error' ? 'HTTP' : name} (status ${status})`
}

function isAboutLocalFile(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).path === 'string' && (error as NodeJS.ErrnoException).syscall !== 'connect'
}

function isAboutCredentials(error: unknown): boolean {
  return (error as Error).name === 'CredentialsProviderError'
}
