import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { collectPages } from '../find.ts'

/** A command with more IDs would hide everything else. */
const MAX_IDS = 5

/** Says how to undo a deletion, unless the instance keeps no trash. */
export async function sayHowToUndo(context: Context, client: Client, ids: readonly string[]): Promise<void> {
  const kept = await keptOf(client, ids)
  if (kept.length > 0) context.notice(`To undo this, run \`${restoring(kept)}\`.`)
}

/** Returns the command that undoes a deletion, for --json; null if the instance keeps no trash. */
export async function commandToUndo(client: Client, ids: readonly string[]): Promise<string | null> {
  const kept = await keptOf(client, ids)
  return kept.length === 0 ? null : restoringAll(kept)
}

/** Returns the deleted documents that are in the trash. */
async function keptOf(client: Client, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const trashed = new Set(await trashedIds(client, ids.length))
  return ids.filter((id) => trashed.has(id))
}

/** Returns the command that restores these documents. */
export function restoring(ids: readonly string[]): string {
  return ids.length <= MAX_IDS
    ? restoringAll(ids)
    : 'docsearch documents restore` with IDs from `docsearch documents list --trashed'
}

function restoringAll(ids: readonly string[]): string {
  return `docsearch documents restore ${ids.join(' ')}`
}

/** Returns the IDs of the documents that were deleted last. */
async function trashedIds(client: Client, count: number): Promise<string[]> {
  try {
    const documents = await collectPages(count, async (page) => {
      const answer = await client.documents.list({ trashed: true, ...page })
      return { items: answer.documents, next: answer.next_cursor }
    })
    return documents.map(({ id }) => id)
  } catch (error) {
    // The deletion is done. An instance of an earlier version has no trash, and a key may not allow reading.
    if (error instanceof ClientError) return []
    throw error
  }
}
