import { ClientError, shownCode } from '../client/errors.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'
import { exitCodeOf, isCommanderError, isPromptCancelled, EXIT } from './exit.ts'
import type { Io } from './io.ts'
import { wantsColor, widthOf } from './io.ts'
import { foldMessage } from './view/fold.ts'
import { joined, oneLine, safeJson, safeText } from './view/safe.ts'
import { Screen } from './view/screen.ts'
import { styles } from './view/style.ts'

/** Errors whose message lists problems, one on each line. In all other errors, a line break comes from outside and is removed. */
const LISTS: ReadonlySet<string> = new Set<ErrorCode>(['usage', 'invalid_configuration'])

/** Prints an error, as text or with --json as one object, and returns the exit code. */
export function reportError(error: unknown, argv: readonly string[], io: Io): number {
  const exitCode = exitCodeOf(error)
  if (isCommanderError(error) && exitCode === EXIT.done) return exitCode
  const report = describe(error)
  const stderr = new Screen(io.stderr)
  if (wantsJson(argv)) {
    stderr.print(safeJson({ ...report, exit_code: exitCode }) + '\n')
    return exitCode
  }
  const style = styles(wantsColor(stderr, io.env, !argv.includes('--no-color')))
  const message = LISTS.has(report.code) ? report.message : oneLine(report.message)
  const lines = [`docsearch: ${message}`]
  for (const { path, message } of furtherErrors(report))
    lines.push(`  ${path === '' ? '' : `${oneLine(path)}: `}${oneLine(message)}`)
  if (report.retry_after !== undefined) lines.push(`Try again in ${report.retry_after} s.`)
  if (report.request_id !== undefined && exitCode === EXIT.instance)
    lines.push(`See the server log, request ID ${report.request_id}.`)
  const text = safeText(lines.join('\n'))
  const [first = '', ...rest] = (stderr.isTTY ? foldMessage(text, widthOf(stderr)) : text).split('\n')
  stderr.print(joined([exitCode === EXIT.cancelled ? first : style.bad(first), ...rest, ''], '\n'))
  if (!(error instanceof DocsearchError) && error instanceof Error && io.env['NODE_DEBUG']?.includes('docsearch'))
    stderr.print(`${error.stack}\n`)
  return exitCode
}

interface ErrorReport {
  code: string
  message: string
  status?: number
  request_id?: string
  retry_after?: number
  errors?: { path: string; message: string }[]
  details?: Record<string, unknown>
}

function describe(error: unknown): ErrorReport {
  if (isCommanderError(error)) {
    // There is no command, or `help` names an unknown one.
    if (error.code === 'commander.help')
      return { code: 'usage', message: 'Missing or unknown command. Run `docsearch --help` for a list.' }
    return { code: 'usage', message: withoutKeys(error.message.replace(/^error: /, '')) }
  }
  if (isPromptCancelled(error)) return { code: 'aborted', message: 'Cancelled.' }
  if (!(error instanceof DocsearchError)) return { code: 'internal_error', message: `Internal error: ${String(error)}` }
  const report: ErrorReport = { code: shownCode(error), message: messageWithHint(error) }
  if (error.retryAfter !== undefined) report.retry_after = error.retryAfter
  if (error instanceof ClientError && error.status > 0) {
    const { requestId, errors } = error
    report.status = error.status
    if (requestId !== null) report.request_id = requestId
    if (errors.length > 0) report.errors = errors
  } else if (Object.keys(error.details).length > 0) {
    report.details = error.details
  }
  return report
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  project_not_found: '`docsearch projects list` shows your projects.',
  document_not_found: '`docsearch documents list` shows your documents.',
  key_not_found: '`docsearch keys list` shows your keys.',
  synonym_not_found: '`docsearch synonyms list` shows the synonyms of a project.',
  webhook_not_found: '`docsearch webhooks list` shows the webhooks of a project.',
  delivery_not_found: '`docsearch webhooks deliveries` shows the messages to a webhook.',
  webhook_disabled: '`docsearch webhooks edit --on` turns it on.',
  too_many_keys: '`docsearch keys list` shows your keys.',
  client_not_found: '`docsearch clients list` shows your applications.',
  user_not_found: '`docsearch users list` shows the users.',
}

/** Returns the error's message, with the command that helps where there is one. */
function messageWithHint(error: DocsearchError): string {
  const hint = HINTS[error.code]
  return hint === undefined ? error.message : `${error.message} ${hint}`
}

/** Hides API keys that were typed as arguments, because the message may end up in a log. */
function withoutKeys(message: string): string {
  return message.replace(/dsk_[0-9A-Za-z]+/g, 'dsk_…')
}

/** The errors of single fields. The message already contains an error that is the only one. */
function furtherErrors({ errors = [] }: ErrorReport): { path: string; message: string }[] {
  return errors.length === 1 ? [] : errors
}

/** Looks for --json itself, because the arguments may be impossible to parse. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}
