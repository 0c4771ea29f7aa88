import { ClientError, shownCode } from '../client/errors.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'
import { exitCodeOf, isCommanderError, isPromptCancelled, EXIT } from './exit.ts'
import type { Io } from './io.ts'
import { wantsColor } from './io.ts'
import { safeJson, safeText } from './view/safe.ts'
import { styles } from './view/style.ts'

/** Says what went wrong, for a person or with --json as one object, and gives the exit code. */
export function reportError(error: unknown, argv: readonly string[], io: Io): number {
  const exitCode = exitCodeOf(error)
  if (isCommanderError(error) && exitCode === EXIT.done) return exitCode
  const fault = describe(error)
  if (wantsJson(argv)) {
    io.stderr.write(safeJson({ ...fault, exit_code: exitCode }) + '\n')
    return exitCode
  }
  const style = styles(wantsColor(io.stderr, io.env, !argv.includes('--no-color')))
  const lines = [`docsearch: ${fault.message}`]
  for (const { path, message } of moreThanSaid(fault)) lines.push(`  ${path === '' ? '' : `${path}: `}${message}`)
  if (fault.retry_after !== undefined) lines.push(`Try again in ${fault.retry_after} s.`)
  if (fault.request_id !== undefined && exitCode === EXIT.instance)
    lines.push(`The instance's log has it under ${fault.request_id}.`)
  const [first = '', ...rest] = safeText(lines.join('\n')).split('\n')
  io.stderr.write([exitCode === EXIT.cancelled ? first : style.bad(first), ...rest].join('\n') + '\n')
  if (!(error instanceof DocsearchError) && error instanceof Error && io.env['NODE_DEBUG']?.includes('docsearch'))
    io.stderr.write(`${error.stack}\n`)
  return exitCode
}

interface Fault {
  code: string
  message: string
  status?: number
  request_id?: string
  retry_after?: number
  errors?: { path: string; message: string }[]
  details?: Record<string, unknown>
}

function describe(error: unknown): Fault {
  if (isCommanderError(error)) {
    // No command at all, or `help` of one that is not there.
    if (error.code === 'commander.help') return { code: 'usage', message: 'Which command? `docsearch --help` shows them.' }
    return { code: 'usage', message: withoutKeys(error.message.replace(/^error: /, '')) }
  }
  if (isPromptCancelled(error)) return { code: 'aborted', message: 'Cancelled.' }
  if (!(error instanceof DocsearchError))
    return { code: 'internal_error', message: `A fault of docsearch itself: ${String(error)}` }
  const fault: Fault = { code: shownCode(error), message: messageWithHint(error) }
  if (error.retryAfter !== undefined) fault.retry_after = error.retryAfter
  if (error instanceof ClientError && error.status > 0) {
    const { requestId, errors } = error
    fault.status = error.status
    if (requestId !== null) fault.request_id = requestId
    if (errors.length > 0) fault.errors = errors
  } else if (Object.keys(error.details).length > 0) {
    fault.details = error.details
  }
  return fault
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  project_not_found: '`docsearch projects list` shows your projects.',
  document_not_found: '`docsearch documents list` shows your documents.',
  key_not_found: '`docsearch keys list` shows your keys.',
  client_not_found: '`docsearch clients list` shows your applications.',
  user_not_found: '`docsearch users list` shows the users.',
}

/** Returns the error's message, with the command that helps where there is one. */
function messageWithHint(error: DocsearchError): string {
  const hint = HINTS[error.code]
  return hint === undefined ? error.message : `${error.message} ${hint}`
}

/** A key that was typed among the arguments is not repeated: the message may end up in a log. */
function withoutKeys(message: string): string {
  return message.replace(/dsk_[0-9A-Za-z]+/g, 'dsk_…')
}

/** The faults of single fields. The message names the first one, so a fault that is alone needs no line of its own. */
function moreThanSaid({ errors = [] }: Fault): { path: string; message: string }[] {
  return errors.length === 1 ? [] : errors
}

/** Also when the arguments could not be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}
