import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { PartialFailure } from '../../exit.ts'
import type { Refusal } from '../../files/found.ts'
import { reportLeftOut } from '../../files/left-out.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { sayHowToUndo } from '../documents/undo.ts'
import { patiently } from '../upload/patience.ts'
import { reportProblems, reportSkipped, type Result } from '../upload/result.ts'
import type { Uploaded } from '../upload/send.ts'
import { send } from '../upload/transfer.ts'
import type { Comparison, SyncRequest } from './comparison.ts'
import { allowedDeletions, formatMaxDelete } from './max-delete.ts'
import { countsOf, formatCounts, type RemoteDocument, type Rename, type SyncPlan } from './plan.ts'

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

interface Outcome {
  /** What became of the files that were sent. */
  upload: Result
  renamed: Rename[]
  deleted: RemoteDocument[]
  /** Documents that could not be moved or deleted. */
  refused: Refusal[]
  /** What ended the sync early. */
  failure: Error | undefined
}

interface Orders {
  project: string
  tags: readonly string[]
  /** Whether documents without a file are deleted. */
  deletes: boolean
  waits: boolean
  /** Files and folders that could not be read, so that nothing may be deleted. */
  unread: readonly Refusal[]
}

const PARALLEL_MOVES = 4
/** Documents of one request, which is answered when all are deleted. */
const DELETED_AT_ONCE = 100

/** Uploads, then moves, and deletes last: only when everything before went well. */
async function execute(context: Context, client: Client, plan: SyncPlan, orders: Orders): Promise<Outcome> {
  const { project, tags, waits, unread } = orders
  const counts = { new: plan.new.length, changed: plan.changed.length, unchanged: plan.unchanged.length }
  const work = { files: [...plan.new, ...plan.changed], unchanged: [], refused: unread, skipped: [], counts }
  const { result: upload, failure } = await send(context, client, work, { project, tags }, { waits })
  const outcome: Outcome = { upload, renamed: [], deleted: [], refused: [], failure }
  try {
    if (outcome.failure === undefined) await moveAll(context, client, plan.renamed, outcome)
    const isClean = outcome.failure === undefined && upload.refused.length + outcome.refused.length === 0
    if (isClean && orders.deletes) await deleteAll(context, client, plan.gone, outcome)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    outcome.failure = error
  }
  return outcome
}

async function moveAll(context: Context, client: Client, renames: readonly Rename[], outcome: Outcome): Promise<void> {
  const left = [...renames]
  async function worker(): Promise<void> {
    for (let rename = left.shift(); rename !== undefined; rename = left.shift()) await move(context, client, rename, outcome)
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL_MOVES, left.length) }, worker))
}

async function move(context: Context, client: Client, rename: Rename, outcome: Outcome): Promise<void> {
  const { document, file } = rename
  // A name that somebody chose stays.
  const followsPath = document.name === document.path.slice(document.path.lastIndexOf('/') + 1)
  const change = { path: file.path, ...(followsPath && document.name !== file.name && { name: file.name }) }
  try {
    await patiently(() => client.documents.update(document.id, change), context.io.signal, waiting(context))
    outcome.renamed.push(rename)
  } catch (error) {
    if (!(error instanceof ClientError) || !concernsOne(error)) throw error
    outcome.refused.push({ path: document.path, name: document.name, code: error.shownCode, message: error.detail })
  }
}

async function deleteAll(context: Context, client: Client, gone: readonly RemoteDocument[], outcome: Outcome): Promise<void> {
  for (let i = 0; i < gone.length; i += DELETED_AT_ONCE) {
    const documents = new Map(gone.slice(i, i + DELETED_AT_ONCE).map((document) => [document.id, document]))
    const batch = { action: 'delete' as const, ids: [...documents.keys()] }
    const { results } = await patiently(() => client.documents.batch(batch), context.io.signal, waiting(context))
    for (const { id, status, code = 'failed' } of results) {
      const document = documents.get(id)
      if (document === undefined) continue
      // Somebody else, or an earlier attempt of this request, deleted it.
      if (status < 400 || status === 404) outcome.deleted.push(document)
      else outcome.refused.push({ path: document.path, name: document.name, code, message: 'could not be deleted' })
    }
  }
}

/** True for a refusal of this one document: it is gone, its new path is taken, or the caller may not change it. */
function concernsOne({ status, code }: ClientError): boolean {
  return status === 404 || status === 409 || code === 'insufficient_role' || code === 'quota_exceeded'
}

function waiting(context: Context): (seconds: number, reason: string) => void {
  return (seconds, reason) => context.notice(`Waiting ${seconds} s: ${reason}`)
}
