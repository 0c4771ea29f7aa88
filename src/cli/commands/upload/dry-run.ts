import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import type { Differences } from './compare.ts'
import type { Plan, PlannedFile, Refusal } from './plan.ts'
import { printResult, reportProblems } from './result.ts'

/** Prints what an upload would send. `states` has each file to send with its state. Throws PartialFailure if some files can't be sent. */
export function printPlan(
  context: Context,
  {
    states,
    counts,
    refused,
  }: { states: ReadonlyMap<PlannedFile, string>; counts: Differences['counts'] | null; refused: Refusal[] },
): void {
  const planned = [...states.keys()]
  const bytes = planned.reduce((sum, file) => sum + file.size, 0)
  if (context.json) {
    const files = [...states].map(([{ file, path, size }, state]) => ({ file, path, size_bytes: size, state }))
    context.printJson({ dry_run: true, ...counts, files, total_bytes: bytes, rejected: refused })
  } else if (planned.length > 0) {
    const size = (file: PlannedFile) => (context.terminal ? formatBytes(file.size) : String(file.size))
    const rows = [...states].map(([file, state]) => [file.path, size(file), state])
    context.print(formatTable(['PATH', 'SIZE', 'STATE'], rows, context.table))
  }
  context.notice(`${count(planned.length, 'file')} to upload, ${formatBytes(bytes)}. Nothing was uploaded.`)
  if (refused.length === 0) return
  reportProblems(context, [], refused)
  throw new PartialFailure(`${count(refused.length, 'file')} cannot be uploaded.`)
}

/** Ends an upload without files: nothing found in a folder, wrong usage for a missing file, a failure for an unreadable one. */
export function reportNothingToUpload(context: Context, plan: Plan, named: readonly string[]): number {
  if (plan.refused.length === 0) {
    const skipped = plan.skippedFolders === 0 ? '' : ` ${count(plan.skippedFolders, 'subfolder')} skipped; add --recursive.`
    context.notice(`No files to upload in ${named.join(', ')}.${skipped}`)
    return EXIT.nothing
  }
  if (plan.refused.every(({ code }) => code === 'not_there'))
    throw usage(plan.refused.map(({ path }) => `${path}: no such file or folder`).join('\n'))
  printResult(context, { documents: new Map(), refused: plan.refused, planned: 0, counts: null })
  throw new PartialFailure(`${count(plan.refused.length, 'file')} failed.`)
}
