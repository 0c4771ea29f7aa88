import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { DocumentBatch, DocumentBatchAnswer } from '../../../contract/documents.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { concernsOneDocument } from './each.ts'

/** The API accepts at most this many documents in one request. */
const MAX_AT_ONCE = 1_000

/** A document to change, or the error from looking it up. */
type Target = { id: string; error: null } | { id: null; error: Error }

/** Finds all documents before any is changed. Returns them by the name or ID that the user gave, each document once. */
export async function targetsOf(
  documents: readonly string[],
  find: (given: string) => Promise<string>,
): Promise<Map<string, Target>> {
  const targets = new Map<string, Target>()
  const ids = new Set<string>()
  for (const given of documents) {
    try {
      const id = await find(given)
      if (!ids.has(id)) targets.set(given, { id, error: null })
      ids.add(id)
    } catch (error) {
      if (!(error instanceof DocsearchError) || !concernsOneDocument(error)) throw error
      targets.set(given, { id: null, error })
    }
  }
  return targets
}

type ChangedTogether = Map<string, DocumentBatchAnswer['results'][number]>

/**
 * Changes several documents with few requests. In each request, attachments follow their message. Returns the results of the changed documents. The
 * caller sends a request for each of the others, because a refusal in a batch has no message, and instances of version 0.1.0 don't accept batches.
 */
export async function changeTogether(
  client: Client,
  targets: ReadonlyMap<string, Target>,
  action: { action: 'delete'; permanent: boolean } | { action: 'restore' },
): Promise<ChangedTogether> {
  const changed: ChangedTogether = new Map()
  const ids = [...targets.values()].flatMap(({ id }) => id ?? [])
  if (ids.length < 2) return changed
  try {
    for (let i = 0; i < ids.length; i += MAX_AT_ONCE) {
      const batch: DocumentBatch = { ...action, ids: ids.slice(i, i + MAX_AT_ONCE) }
      const { results } = await client.documents.batch(batch)
      for (const result of results) if (result.status < 400) changed.set(result.id, result)
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
  }
  return changed
}

/** Returns the names and IDs that the user gave. Changed documents come first, because a request for one of the others may end the command. */
export function changedFirst(targets: ReadonlyMap<string, Target>, changed: ChangedTogether): string[] {
  const isChanged = (given: string) => changed.has(targets.get(given)!.id ?? '')
  return [...targets.keys()].toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)))
}
