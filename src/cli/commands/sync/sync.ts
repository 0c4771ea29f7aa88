import type { Client } from '../../../client/client.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { PartialFailure } from '../../exit.ts'
import { reportLeftOut } from '../../files/left-out.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { reportSkipped } from '../upload/result.ts'
import type { Comparison, SyncRequest } from './comparison.ts'
import { execute, type Outcome } from './execute.ts'
import { allowedDeletions, formatMaxDelete } from './max-delete.ts'
import { countsOf, formatCounts } from './plan.ts'
import { printOutcome } from './result.ts'

/** Prints what was left out and what there is to do. */
export function reportPlan(context: Context, { local, plan }: Comparison, { selection, prunes }: SyncRequest): void {
  reportLeftOut(context, local.found, selection)
  reportSkipped(context, local.skipped)
  context.notice(formatCounts(plan))
  const failed = plan.unchanged.filter(({ status }) => status === 'failed').length
  if (failed > 0)
    context.notice(
      `${count(failed, 'unchanged document')} failed earlier. For the reasons, run \`docsearch documents list --status failed\`.`,
    )
  if (plan.gone.length > 0 && !prunes)
    context.notice(
      `${count(plan.gone.length, 'document')} ${plan.gone.length === 1 ? 'has' : 'have'} no file any more. To delete ${plan.gone.length === 1 ? 'it' : 'them'}, add --prune.`,
    )
}

/** Prints the changes without making them. */
export function printChanges(context: Context, { plan, changes, local }: Comparison, request: SyncRequest): void {
  reportPlan(context, { local, plan } as Comparison, request)
  if (context.json)
    return context.printJson({
      dry_run: true,
      project: request.project,
      ...countsOf(plan),
      changes,
      rejected: local.refused,
      skipped: local.skipped,
    })
  const size = (bytes: number | undefined) => (bytes === undefined ? '' : context.terminal ? formatBytes(bytes) : String(bytes))
  const rows = changes.map(({ change, path, from, size_bytes }) => [
    change,
    from === undefined ? path : `${from} → ${path}`,
    size(size_bytes),
  ])
  if (rows.length > 0) context.print(formatTable(['CHANGE', 'PATH', 'SIZE'], rows, context.table))
}

/** Makes the changes and prints the result. Throws PartialFailure for failures, and what ended the sync early. */
export async function apply(
  context: Context,
  client: Client,
  comparison: Comparison,
  request: SyncRequest,
  options: { waits: boolean; isVerbose: boolean },
): Promise<void> {
  const outcome = await makeChanges(context, client, comparison, request, options)
  throwFailures(outcome, comparison, request)
}

/** Makes the changes and prints the result, without throwing what failed. */
export async function makeChanges(
  context: Context,
  client: Client,
  comparison: Comparison,
  request: SyncRequest,
  options: { waits: boolean; isVerbose: boolean },
): Promise<Outcome> {
  const outcome = await execute(context, client, comparison.plan, {
    project: request.project,
    tags: request.tags,
    deletes: request.prunes && obstacleTo(comparison, request) === null,
    waits: options.waits,
    unread: comparison.local.refused,
  })
  await printOutcome(context, client, comparison, outcome, { project: request.project, isVerbose: options.isVerbose })
  return outcome
}

/** Throws PartialFailure for failures, and what ended the sync early. */
export function throwFailures(outcome: Outcome, comparison: Comparison, request: SyncRequest): void {
  if (outcome.failure !== undefined) throw outcome.failure
  const obstacle = request.prunes ? obstacleTo(comparison, request) : null
  if (obstacle !== null) throw new PartialFailure(obstacle)
  const failed = outcome.upload.refused.length + outcome.refused.length + failedDocuments(outcome.upload.documents.values())
  if (failed === 0) return
  const notDeleted = request.prunes && outcome.deleted.length < comparison.plan.gone.length
  const consequence = notDeleted
    ? ' Nothing was deleted, because sync deletes documents only when everything else went well.'
    : ''
  throw new PartialFailure(`${count(failed, 'file or document', 'files or documents')} failed.${consequence}`)
}

/** Returns why documents without a file may not be deleted; null if nothing forbids it. */
function obstacleTo({ plan, local, documents }: Comparison, { maxDelete, folder }: SyncRequest): string | null {
  const gone = plan.gone.length
  if (gone === 0) return null
  if (local.files.length === 0)
    return `${folder} has no files to upload, so nothing was deleted. To delete the documents, use \`docsearch documents delete\`.`
  const allowed = allowedDeletions(maxDelete, documents.length)
  if (gone <= allowed) return null
  return (
    `Nothing was deleted: ${gone} of ${count(documents.length, 'document')} ${gone === 1 ? 'has' : 'have'} no file any more, ` +
    `more than --max-delete ${formatMaxDelete(maxDelete)} allows (${allowed}). If this is right, raise --max-delete.`
  )
}

function failedDocuments(documents: Iterable<{ status: string }>): number {
  return [...documents].filter(({ status }) => status === 'failed').length
}
