import type { Context } from '../../context.ts'
import { widthOf } from '../../io.ts'
import { styles, count } from '../../view/style.ts'
import { formatReasons, formatTable } from '../../view/table.ts'
import type { Refusal } from './plan.ts'
import type { Uploaded } from './send.ts'

export interface Result {
  /** By id: a file named twice is one document. */
  documents: Map<string, Uploaded>
  refused: Refusal[]
  /** Files that were named or found. */
  planned: number
}

/** Results on standard output; the summary, and a table of what is wrong, on standard error. */
export function printResult(context: Context, result: Result): void {
  const documents = [...result.documents.values()]
  if (context.json) {
    context.printJson({ documents, rejected: result.refused })
    return
  }
  const rows = documents.map((document) => [document.id, document.outcome, document.status, document.path])
  if (rows.length > 0) context.print(formatTable(['ID', 'OUTCOME', 'STATUS', 'PATH'], rows, context.table))
  context.notice(summary(documents, result.refused.length))
  reportWrong(context, documents, result.refused)
}

/** On standard error, on a pipe one a line: path, code, and why. What failed comes first. */
export function reportWrong(context: Context, documents: readonly Uploaded[], refused: readonly Refusal[]): void {
  const wrong = [
    ...documents.flatMap(({ path, status, error }) =>
      status === 'failed' ? [[path, error?.code ?? 'failed', error?.message ?? '']] : [],
    ),
    ...refused.map(({ path, code, message }) => [path, code, message]),
    // Not failed, but a search may miss something of it.
    ...documents.flatMap(({ path, status, warnings }) =>
      status === 'ready' ? warnings.map((warning) => [path, warning.code, warning.message]) : [],
    ),
  ]
  if (wrong.length === 0) return
  const { stderr } = context.io
  const options = { terminal: stderr.isTTY === true, width: widthOf(stderr), style: styles(false) }
  // The problem first: names are longer than what is wrong with them, and differ at their ends.
  const rows = wrong.map(([path = '', code = '', why = '']) => ({
    cells: options.terminal ? [code, path] : [path, code],
    reasons: [why],
  }))
  context.report(formatReasons(['PROBLEM', 'PATH'], rows, options))
}

function summary(documents: readonly Uploaded[], refused: number): string {
  const outcome = (which: Uploaded['outcome']) => documents.filter((document) => document.outcome === which).length
  const status = (which: Uploaded['status']) => documents.filter((document) => document.status === which).length
  const parts = [count(documents.length, 'document')]
  for (const which of ['created', 'replaced', 'unchanged'] as const)
    if (outcome(which) > 0) parts.push(`${outcome(which)} ${which}`)
  for (const which of ['ready', 'failed'] as const) if (status(which) > 0) parts.push(`${status(which)} ${which}`)
  const warned = documents.filter((document) => document.status === 'ready' && document.warnings.length > 0).length
  if (warned > 0) parts.push(`${warned} with warnings`)
  if (refused > 0) parts.push(`${refused} refused`)
  const waiting = status('queued') + status('processing')
  return `${parts.join(', ')}.${waiting > 0 ? ` ${count(waiting, 'document is', 'documents are')} being processed; searches find them soon.` : ''}`
}
