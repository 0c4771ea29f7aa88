import { extname } from 'node:path'
import type { Document } from '../../../contract/documents.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import type { FoundFile, FoundFiles, Refusal } from '../../files/found.ts'
import { widthOf } from '../../io.ts'
import { count, styles } from '../../view/style.ts'
import { formatReasons, formatTable } from '../../view/table.ts'
import { restoring } from '../documents/undo.ts'
import type { Differences } from './compare.ts'
import type { Uploaded } from './send.ts'

/** How many kinds of skipped files are named. */
const MAX_KINDS = 5

export interface Result {
  /** By ID, because a file that is named twice is one document. */
  documents: Map<string, Uploaded>
  /** The attachments of messages among them, once they are processed. Empty when the command doesn't wait. */
  attachments: Document[]
  refused: Refusal[]
  /** Files found in a folder in which docsearch can't read text. */
  skipped: Refusal[]
  /** Number of files that were named or found. */
  planned: number
  /** How many files were new, changed and unchanged; null if the instance could not be asked. */
  counts: Differences['counts'] | null
}

/** Prints the documents on standard output, and a summary with a table of problems on standard error. */
export function printResult(context: Context, result: Result): void {
  const documents = [...result.documents.values()]
  if (context.json) {
    context.printJson({
      ...result.counts,
      documents,
      attachments: result.attachments,
      rejected: result.refused,
      skipped: result.skipped,
    })
    return
  }
  // On a terminal, the rows of unchanged documents would hide the others.
  const news = documents.filter(({ outcome, status }) => outcome !== 'unchanged' || status !== 'ready')
  const shown = context.terminal ? news : documents
  const rows = shown.map((document) => [document.id, document.outcome, document.status, document.path])
  if (rows.length > 0) context.print(formatTable(['ID', 'OUTCOME', 'STATUS', 'PATH'], rows, context.table))
  if (news.length + result.refused.length > 0) context.notice(summary(documents, result.refused.length))
  reportSkipped(context, result.skipped)
  const replaced = documents.flatMap(({ replaced_id }) => replaced_id ?? [])
  if (replaced.length > 0) context.notice(`To get replaced versions back, run \`${restoring(replaced)}\`.`)
  reportProblems(context, [...news, ...result.attachments], result.refused)
}

/** Reports which kinds of files in a folder were skipped: files without text, and files whose text docsearch reads only in another format. */
export function reportSkipped(context: Context, skipped: readonly Refusal[]): void {
  const withText = skipped.filter(({ convertible }) => convertible === true)
  const others = skipped.filter(({ convertible }) => convertible !== true)
  if (others.length > 0)
    context.notice(`Skipped ${count(others.length, 'file')} without text that docsearch reads: ${kindsOf(others)}.`)
  if (withText.length === 0) return
  const formats = `${count(withText.length, 'file')} in a format that docsearch can't read: ${kindsOf(withText)}`
  context.notice(
    `Skipped ${formats}. To make these files searchable, save them in another format, such as DOCX, XLSX, PPTX or PDF.`,
  )
}

/** Returns how many files there are of each kind, as text. */
function kindsOf(skipped: readonly Refusal[]): string {
  const kinds = Map.groupBy(skipped, ({ name, code }) =>
    code === 'empty_file' ? 'empty' : extname(name).toLowerCase() || 'no extension',
  )
  const most = [...kinds].sort(([, a], [, b]) => b.length - a.length)
  const shown = most.slice(0, MAX_KINDS).map(([kind, files]) => `${files.length} ${kind}`)
  return shown.join(', ') + (most.length > MAX_KINDS ? ', and others' : '')
}

/** Prints failures, then warnings, on standard error; on a pipe one per line with path, code and message. */
export function reportProblems(context: Context, documents: readonly Document[], refused: readonly Refusal[]): void {
  const problems = [
    ...documents.flatMap(({ path, status, error }) =>
      status === 'failed' ? [[path, error?.code ?? 'failed', error?.message ?? '']] : [],
    ),
    ...refused.map(({ path, code, message }) => [path, code, message]),
    // Warnings: the document is ready, but a search may miss part of it.
    ...documents.flatMap(({ path, status, warnings }) =>
      status === 'ready' ? warnings.map((warning) => [path, warning.code, warning.message]) : [],
    ),
  ]
  if (problems.length === 0) return
  const { stderr } = context.io
  const options = { terminal: stderr.isTTY, width: widthOf(stderr), style: styles(false) }
  // The problem comes first, because paths are longer and may be cut.
  const rows = problems.map(([path = '', code = '', message = '']) => ({
    cells: options.terminal ? [code, path] : [path, code],
    reasons: [message],
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
  return `${parts.join(', ')}.${waiting > 0 ? ` ${count(waiting, 'document is', 'documents are')} not searchable yet.` : ''}`
}

/** Prints what an upload would send. `states` has each file to send with its state. Throws PartialFailure if some files can't be sent. */
export function printPlan(
  context: Context,
  {
    states,
    counts,
    refused,
    skipped,
  }: { states: ReadonlyMap<FoundFile, string>; counts: Differences['counts'] | null; refused: Refusal[]; skipped: Refusal[] },
): void {
  const planned = [...states.keys()]
  const bytes = planned.reduce((sum, file) => sum + file.size, 0)
  if (context.json) {
    const files = [...states].map(([{ file, path, size }, state]) => ({ file, path, size_bytes: size, state }))
    context.printJson({ dry_run: true, ...counts, files, total_bytes: bytes, rejected: refused, skipped })
  } else if (planned.length > 0) {
    const size = (file: FoundFile) => (context.terminal ? formatBytes(file.size) : String(file.size))
    const rows = [...states].map(([file, state]) => [file.path, size(file), state])
    context.print(formatTable(['PATH', 'SIZE', 'STATE'], rows, context.table))
  }
  reportSkipped(context, skipped)
  context.notice(`${count(planned.length, 'file')} to upload, ${formatBytes(bytes)}. Nothing was uploaded.`)
  if (refused.length === 0) return
  reportProblems(context, [], refused)
  throw new PartialFailure(`${count(refused.length, 'file')} cannot be uploaded.`)
}

/** Ends an upload without files: nothing found in a folder, wrong usage for a missing file, a failure for an unreadable one. */
export function reportNothingToUpload(context: Context, found: FoundFiles, named: readonly string[]): number {
  if (found.refused.length === 0) {
    const skipped =
      found.skipped.subfolders === 0 ? '' : ` ${count(found.skipped.subfolders, 'subfolder')} skipped; add --recursive.`
    context.notice(`No files to upload in ${named.join(', ')}.${skipped}`)
    return EXIT.nothing
  }
  if (found.refused.every(({ code }) => code === 'not_there'))
    throw usage(found.refused.map(({ path }) => `${path}: no such file or folder`).join('\n'))
  printResult(context, { documents: new Map(), attachments: [], refused: found.refused, skipped: [], planned: 0, counts: null })
  throw new PartialFailure(`${count(found.refused.length, 'file')} failed.`)
}
