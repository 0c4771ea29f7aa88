import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import type { Differences } from './compare.ts'
import type { FoundFiles, FoundFile, Refusal } from '../../files/found.ts'
import { printResult, reportProblems, reportSkipped } from './result.ts'

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
