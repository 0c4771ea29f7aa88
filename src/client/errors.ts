import { DocsearchError, isErrorCode, type DocsearchErrorOptions, type ErrorCode } from '../core/errors.ts'

export interface ClientErrorOptions extends DocsearchErrorOptions {
  /** HTTP status; 0 when there was no answer. */
  status?: number
  /** The code as the instance sent it, where that is not `code`. */
  shownCode?: string
  requestId?: string | null
  errors?: FieldFault[]
  /** What a user of the command line can do about it. `statement` doesn't have it. */
  advice?: string
}

/** One invalid field of a request body. */
export interface FieldFault {
  path: string
  message: string
}

/**
 * A failed call to an instance. `code` is the code that the instance sent (problem+json), or one of the client: `unreachable`, `timeout`,
 * `redirected`, `invalid_answer`, `aborted`, `file_changed`. `shownCode` is `http_NNN` for an answer without a problem document.
 * Messages may contain text from the instance: neutralise them before they reach a terminal.
 */
export class ClientError extends DocsearchError {
  readonly status: number
  readonly detail: string
  /** The message without advice on the command line, for other programs. */
  readonly statement: string
  /** The code to show: the one that the instance sent, known or not, or the client's own. */
  readonly shownCode: string
  readonly requestId: string | null
  readonly errors: FieldFault[]

  constructor(code: ErrorCode, detail: string, options: ClientErrorOptions = {}) {
    const message = options.advice === undefined ? detail : `${detail} ${options.advice}`
    super(code, message, options)
    this.shownCode = options.shownCode ?? code
    this.name = 'ClientError'
    this.status = options.status ?? 0
    this.detail = message
    this.statement = detail
    this.requestId = options.requestId ?? null
    this.errors = options.errors ?? []
  }
}

/** An error with a code that an instance sent. A code that this version doesn't know becomes `unknown_problem` and stays in `shownCode`. */
export function errorFromInstance(sentCode: string, detail: string, options: ClientErrorOptions): ClientError {
  return isErrorCode(sentCode)
    ? new ClientError(sentCode, detail, options)
    : new ClientError('unknown_problem', detail, { ...options, shownCode: sentCode })
}

/** The code to show for an error. */
export function shownCode(error: DocsearchError): string {
  return error instanceof ClientError ? error.shownCode : error.code
}

/** The reason of a failed file operation, without Node's error code and system call: "permission denied". */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /^E[A-Z0-9]+: (.*?), /.exec(message)?.[1] ?? message
}
