/** Who can mend it: the caller, something outside (disk, Ollama, a file), or we. */
export type Blame = 'user' | 'outside' | 'internal'

export interface DocsearchErrorOptions {
  blame?: Blame
  cause?: unknown
  /** Facts for programs, shown to the caller beside the message; never a path, a secret or a text. */
  details?: Record<string, unknown>
  /** Seconds after which trying again makes sense. */
  retryAfter?: number
}

/**
 * The one error of the project. `code` is stable and snake_case; `message` is a sentence a person can act on.
 * http/problems.ts maps codes to statuses, cli/exit.ts to exit codes; nothing else does.
 */
export class DocsearchError extends Error {
  readonly code: string
  readonly blame: Blame
  readonly details: Record<string, unknown>
  readonly retryAfter: number | undefined

  constructor(code: string, message: string, options: DocsearchErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DocsearchError'
    this.code = code
    this.blame = options.blame ?? 'user'
    this.details = options.details ?? {}
    this.retryAfter = options.retryAfter
  }
}

/** True for a DocsearchError, with this code where one is given. */
export function isDocsearchError(error: unknown, code?: string): error is DocsearchError {
  return error instanceof DocsearchError && (code === undefined || error.code === code)
}
