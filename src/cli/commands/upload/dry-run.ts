import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import type { Plan, PlannedFile } from './plan.ts'
import { printResult, reportProblems } from './result.ts'

/** Prints what an upload would send. Throws PartialFailure when some of it can't be sent. */
export function printPlan(context: Context, plan: Plan): number {
  const bytes = plan.files.reduce((sum, file) => sum + file.size, 0)
  if (context.json) {
    const files = plan.files.map(({ file, path, size }) => ({ file, path, size_bytes: size }))
    context.printJson({ dry_run: true, files, total_bytes: bytes, rejected: plan.refused })
  } else {
    const size = (file: PlannedFile) => (context.terminal ? formatBytes(file.size) : String(file.size))
    const rows = plan.files.map((file) => [file.path, size(file)])
    context.print(formatTable(['PATH', 'SIZE'], rows, context.table))
  }
  context.notice(`${count(plan.files.length, 'file')}, ${formatBytes(bytes)}. Nothing was uploaded.`)
  if (plan.refused.length === 0) return EXIT.done
  reportProblems(context, [], plan.refused)
  throw new PartialFailure(`${count(plan.refused.length, 'file')} cannot be uploaded.`)
}

/** Ends an upload without files: nothing found in a folder, wrong usage for a missing file, a failure for an unreadable one. */
export function reportNothingToUpload(context: Context, plan: Plan, named: readonly string[]): number {
  if (plan.refused.length === 0) {
    const skipped = plan.skippedFolders === 0 ? '' : ` ${count(plan.skippedFolders, 'subfolder')} skipped; add --recursive.`
    context.notice(`No files in ${named.join(', ')}.${skipped}`)
    return EXIT.nothing
  }
  if (plan.refused.every(({ code }) => code === 'not_there'))
    throw usage(plan.refused.map(({ path }) => `${path}: no such file or folder`).join('\n'))
  printResult(context, { documents: new Map(), refused: plan.refused, planned: 0 })
  throw new PartialFailure(`${count(plan.refused.length, 'file')} failed.`)
}
