import type { Client } from '../../../client/client.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { PartialFailure } from '../../exit.ts'
import { reportLeftOut } from '../../files/left-out.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { sayHowToUndo } from '../documents/undo.ts'
import { reportProblems, reportSkipped } from '../upload/result.ts'
import type { Uploaded } from '../upload/send.ts'
import type { Comparison, SyncRequest } from './comparison.ts'
import { execute, type Outcome } from './execute.ts'
import { allowedDeletions, formatMaxDelete } from './max-delete.ts'
import { countsOf, formatCounts } from './plan.ts'

/** Prints the files that were left out and the changes to make. */
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

/** Prints what was done: the summary, then how to undo it, then the problems. */
async function printOutcome(
  context: Context,
  client: Client,
  { plan, local }: Comparison,
  outcome: Outcome,
  { project, isVerbose }: { project: string; isVerbose: boolean },
): Promise<void> {
  const { upload, renamed, deleted } = outcome
  const documents = [...upload.documents.values()]
  const refused = [...upload.refused, ...outcome.refused]
  if (context.json) {
    context.printJson({
      project,
      ...countsOf(plan),
      documents,
      moved: renamed.map(({ document, file }) => ({ id: document.id, from: document.path, path: file.path })),
      deleted: deleted.map(({ id, path }) => ({ id, path })),
      rejected: refused,
      skipped: [...local.skipped, ...upload.skipped],
    })
    return
  }
  if (isVerbose) {
    const rows = [
      ...documents.map(({ outcome: what, path, id }) => [what, path, id]),
      ...renamed.map(({ document, file }) => ['moved', `${document.path} → ${file.path}`, document.id]),
      ...deleted.map(({ id, path }) => ['deleted', path, id]),
    ]
    if (rows.length > 0) context.print(formatTable(['OUTCOME', 'PATH', 'ID'], rows, context.table))
  }
  reportSkipped(context, upload.skipped)
  const summary = summaryOf(outcome, await waitingIn(client, project, documents))
  if (summary !== '') context.notice(summary)
  const replaced = documents.flatMap(({ replaced_id: id }) => id ?? [])
  await sayHowToUndo(context, client, [...replaced, ...deleted.map(({ id }) => id)])
  reportProblems(context, documents, refused)
}

/** Returns how many documents can't be found yet. Their own status may be minutes old, so this asks for that of the whole project. */
async function waitingIn(client: Client, project: string, documents: readonly Uploaded[]): Promise<number> {
  const waited = documents.filter(({ status }) => status === 'queued' || status === 'processing').length
  if (waited === 0) return 0
  const { queued, processing } = (await client.projects.get(project)).statuses
  return Math.min(waited, queued + processing)
}

/** `Uploaded 15 documents, moved 1, deleted 2. 14 are not searchable yet.` Empty if nothing was done. */
function summaryOf({ upload, renamed, deleted }: Outcome, waiting: number): string {
  const documents = [...upload.documents.values()]
  const parts = [
    ...(documents.length > 0 ? [`uploaded ${count(documents.length, 'document')}`] : []),
    ...(renamed.length > 0 ? [`moved ${count(renamed.length, 'document')}`] : []),
    ...(deleted.length > 0 ? [`deleted ${count(deleted.length, 'document')}`] : []),
  ]
  if (parts.length === 0) return ''
  const done = `${parts[0]![0]!.toUpperCase()}${parts.join(', ').slice(1)}.`
  return waiting === 0 ? done : `${done} ${count(waiting, 'document is', 'documents are')} not searchable yet.`
}
