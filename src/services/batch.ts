import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ApiErrorCode, DocsearchError, isApiErrorCode } from '../core/errors.ts'
import type { DeletionOptions } from '../ingest/ingest.ts'
import type { Restored } from '../records/records.ts'
import type { Actor } from './access.ts'
import type { DocumentUpdate } from './document-requests.ts'

export type BatchAction =
  | { action: 'delete'; isPermanent: boolean }
  | { action: 'restore' }
  | { action: 'reprocess' }
  | { action: 'update'; change: Pick<DocumentUpdate, 'tags' | 'addTags' | 'removeTags' | 'project'> }

/** Refusals that concern only one document. */
const OF_ONE_DOCUMENT = new Set<ApiErrorCode>([
  'document_not_found',
  'insufficient_role',
  'path_taken',
  'is_attachment',
  'quota_exceeded',
  'too_many_tags',
])

export interface BatchResult {
  id: string
  /** Why the action was refused; null if it succeeded. */
  refusal: ApiErrorCode | null
  /** See `Restored`. */
  replacedId?: string | null
}

/** The actions on one document. */
interface Changes {
  /** Returns the message of an attachment, even of one in the trash. Returns null for any other document. */
  parentOf(actor: Actor, id: string): Promise<string | null>
  delete(actor: Actor, id: string, options: DeletionOptions): Promise<unknown>
  restore(actor: Actor, id: string, options: Pick<DeletionOptions, 'isOneOfMany'>): Promise<Restored>
  reprocess(actor: Actor, id: string): Promise<unknown>
  update(actor: Actor, id: string, change: DocumentUpdate, options: Pick<DeletionOptions, 'isOneOfMany'>): Promise<unknown>
}

/**
 * Applies one action to many documents, one after the other. A refusal for one document does not affect the others. An attachment whose
 * message is among the documents follows it and gets the same result. There are two exceptions: `reprocess`, and attachments that `restore` refuses
 * because they exceed a quota. Throws an error that concerns all documents, such as `insufficient_scope`, if it happens before the first result.
 * After that, the error becomes the result of each remaining document.
 */
export async function runBatch(
  documents: Changes,
  actor: Actor,
  ids: readonly string[],
  action: BatchAction,
  signal: AbortSignal,
): Promise<BatchResult[]> {
  const messages = action.action === 'reprocess' ? new Map<string, string>() : await messagesOf(documents, actor, ids, signal)
  const results = new Map<string, BatchResult>()
  const refusedAttachments = new Set<string>()
  for (const id of ids) {
    if (messages.has(id)) continue
    signal.throwIfAborted()
    // Records answer without waiting for anything, so other requests get their turn here.
    await nextTurn()
    try {
      const { replacedId = null, refusedIds = [] } = (await changeOne(documents, actor, id, action)) ?? {}
      for (const refusedId of refusedIds) refusedAttachments.add(refusedId)
      results.set(id, { id, refusal: null, replacedId })
    } catch (error) {
      const refusal = error instanceof DocsearchError && isApiErrorCode(error.code) ? error.code : null
      if (refusal === null || (results.size === 0 && !OF_ONE_DOCUMENT.has(refusal))) throw error
      results.set(id, { id, refusal })
    }
  }
  return ids.map((id) => {
    const own = results.get(id)
    if (own !== undefined) return own
    if (refusedAttachments.has(id)) return { id, refusal: 'quota_exceeded' }
    // The message has no result if a restoration moved it while `messagesOf` read.
    const { refusal } = results.get(messages.get(id)!) ?? { refusal: 'document_not_found' as const }
    return { id, refusal }
  })
}

/** Maps each attachment to its message if that is one of these documents. For messages in messages, takes the outermost of these. */
async function messagesOf(
  documents: Changes,
  actor: Actor,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const all = new Set(ids)
  const messages = new Map<string, string>()
  for (const id of ids) {
    signal.throwIfAborted()
    await nextTurn()
    let parent = await documents.parentOf(actor, id)
    for (; parent !== null; parent = await documents.parentOf(actor, parent)) if (all.has(parent)) messages.set(id, parent)
  }
  return messages
}

async function changeOne(
  documents: Changes,
  actor: Actor,
  id: string,
  action: BatchAction,
): Promise<Pick<Restored, 'replacedId' | 'refusedIds'> | void> {
  switch (action.action) {
    case 'delete':
      await documents.delete(actor, id, { isPermanent: action.isPermanent, isOneOfMany: true })
      return
    case 'restore':
      return documents.restore(actor, id, { isOneOfMany: true })
    case 'reprocess':
      await documents.reprocess(actor, id)
      return
    case 'update':
      await documents.update(actor, id, action.change, { isOneOfMany: true })
  }
}
