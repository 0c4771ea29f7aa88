import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import type { Refusal } from '../../files/found.ts'
import { patiently } from '../upload/patience.ts'
import type { Result } from '../upload/result.ts'
import { send } from '../upload/transfer.ts'
import type { RemoteDocument, Rename, SyncPlan } from './plan.ts'

export interface Outcome {
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
export async function execute(context: Context, client: Client, plan: SyncPlan, orders: Orders): Promise<Outcome> {
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
