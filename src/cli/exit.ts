import { ClientError } from '../client/errors.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'

/** The exit codes of every command. Scripts rely on them. */
export const EXIT = {
  done: 0,
  nothing: 1,
  usage: 2,
  partial: 3,
  login: 4,
  unreachable: 5,
  busy: 6,
  instance: 7,
  cancelled: 130,
} as const

export const EXIT_CODES_HELP = `Exit codes:
  0    done
  1    a search or list found nothing
  2    wrong usage or configuration, or a named thing does not exist
  3    partly failed: the rest is done, and the failures are listed
  4    not logged in, or not allowed
  5    the instance cannot be reached
  6    rate-limited or busy: try again
  7    the instance failed
  130  cancelled`

/** Part of the work failed. The failures are already listed. */
export class PartialFailure extends DocsearchError {
  constructor(message: string, details: Record<string, unknown> = {}) {
    super('partial_failure', message, { details })
  }
}

export function usage(message: string): DocsearchError {
  return new DocsearchError('usage', message)
}

export function cancelled(message = 'Cancelled.', details: Record<string, unknown> = {}): DocsearchError {
  return new DocsearchError('aborted', message, { details })
}

const EXIT_OF_CODE: Partial<Record<ErrorCode, number>> = {
  aborted: EXIT.cancelled,
  partial_failure: EXIT.partial,
  unreachable: EXIT.unreachable,
  timeout: EXIT.unreachable,
  database_busy: EXIT.unreachable,
  store_unavailable: EXIT.unreachable,
  not_logged_in: EXIT.login,
  invalid_credential: EXIT.login,
  login_denied: EXIT.login,
  login_mismatch: EXIT.login,
  login_timed_out: EXIT.login,
  invalid_answer: EXIT.instance,
  backup_running: EXIT.busy,
  doctor_running: EXIT.busy,
  backup_damaged: EXIT.instance,
  backup_incomplete: EXIT.instance,
  // Whether it fails before or during the download.
  pull_failed: EXIT.instance,
}

/** Returns the exit code of an error: by its code, else by its HTTP status, else by whose fault it is. */
export function exitCodeOf(error: unknown): number {
  if (isCommanderError(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (isPromptCancelled(error)) return EXIT.cancelled
  if (!(error instanceof DocsearchError)) return EXIT.instance
  const code = EXIT_OF_CODE[error.code]
  if (code !== undefined) return code
  const status = error instanceof ClientError ? error.status : 0
  if (status === 401 || status === 403) return EXIT.login
  if (status === 429 || status === 503) return EXIT.busy
  if (status >= 500) return EXIT.instance
  // What the user or the machine can correct (a busy port, a data folder in use) is usage or configuration.
  return error.fault === 'internal' ? EXIT.instance : EXIT.usage
}

/** True for an error of commander. Compares names, so that commander need not be loaded. */
export function isCommanderError(error: unknown): error is Error & { code: string; exitCode: number } {
  return (
    error instanceof Error &&
    'exitCode' in error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('commander.')
  )
}

/** True for the error that @inquirer throws at Ctrl-C. */
export function isPromptCancelled(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')
}
