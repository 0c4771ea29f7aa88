// Apart from calls.ts: the package declares only what programs see, which needs no types of Node.
import { DocsearchError } from '../../core/errors.ts'
import { ClientError } from '../errors.ts'

/** The one error of the client library: an instance refused a request, or didn't answer. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  /** HTTP status; 0 if there was no answer. */
  readonly status: number
  /**
   * The code of the instance, such as `project_not_found`; `/api/docs` lists all. If there was no answer of an instance: `unreachable`, `timeout`,
   * `redirected`, `invalid_answer`, `invalid_address`, `invalid_credential`, `aborted`, `file_unreadable` or `file_changed`. `http_NNN` for an answer
   * without a code, for example from a proxy.
   */
  readonly code: string
  /** All fields of the instance's answer (RFC 9457). */
  readonly details: Readonly<Record<string, unknown>>
  /** The first faults of an invalid request. */
  readonly errors: readonly { path: string; message: string }[]
  /** Identifies the request in the log of the instance. */
  readonly requestId: string | null
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | null

  constructor(code: string, message: string, options: RequestErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status ?? 0
    this.details = options.details ?? {}
    this.errors = options.errors ?? []
    this.requestId = options.requestId ?? null
    this.retryAfter = options.retryAfter ?? null
  }
}

interface RequestErrorOptions {
  status?: number
  details?: Record<string, unknown>
  errors?: { path: string; message: string }[]
  requestId?: string | null
  retryAfter?: number | undefined
  cause?: unknown
}

/** Turns an error from `client/` into a RequestError. Leaves all others unchanged, such as those that a token function throws. */
export function toRequestError(error: unknown): unknown {
  if (error instanceof ClientError) {
    const { status, details, errors, requestId, retryAfter, cause } = error
    return new RequestError(error.shownCode, error.statement, { status, details, errors, requestId, retryAfter, cause })
  }
  if (error instanceof DocsearchError) return new RequestError(error.code, error.message, { cause: error.cause })
  return error
}
