import type { Client } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { sayHowToUndo } from '../documents/undo.ts'
import { reportProblems, reportSkipped } from '../upload/result.ts'
import type { Uploaded } from '../upload/send.ts'
import type { Outcome } from './execute.ts'
import type { Comparison } from './comparison.ts'
import { countsOf } from './plan.ts'

/** Prints what was done: the summary, then how to undo it, then the problems. */
export async function printOutcome(
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
