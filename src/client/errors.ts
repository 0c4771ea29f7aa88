import { DocsearchError } from '../core/errors.ts'
import type { DocsearchErrorOptions } from '../core/errors.ts'

export interface ClientErrorOptions extends DocsearchErrorOptions {
  /** HTTP status; 0 when there was no answer. */
  status?: number
  requestId?: string | null
  errors?: FieldFault[]
}

/** One fault of a body that did not validate (contract 1.2). */
export interface FieldFault {
  path: string
  message: string
}

/**
 * What a call to an instance ends in when it does not end well. `code` is the instance's own (problem+json) or one of ours:
 * `unreachable`, `timeout`, `redirected`, `invalid_answer`, `aborted`, `file_changed`, `http_NNN` for an error without a problem document.
 * Texts come from the instance as they are: neutralise them before they reach a terminal.
 */
export class ClientError extends DocsearchError {
  readonly status: number
  readonly detail: string
  readonly requestId: string | null
  readonly errors: FieldFault[]

  constructor(code: string, detail: string, options: ClientErrorOptions = {}) {
    super(code, detail, options)
    this.name = 'ClientError'
    this.status = options.status ?? 0
    this.detail = detail
    this.requestId = options.requestId ?? null
    this.errors = options.errors ?? []
  }
}
