import { isDocsearchError } from '../core/errors.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import type { Records } from '../records/records.ts'
import type { IngestOptions } from './context.ts'
import type { IndexWriter } from './writer.ts'

export interface Reconciler {
  /** The index forgets what is deleted or failed. Rejects when it could not; what is left is tried again later. */
  forget(): Promise<void>
  /** Index and records are made to agree: what is missing or short goes back into the queue, what belongs to nobody goes. */
  reconcile(): Promise<void>
}

/**
 * What is recorded of an index that is not in use is made to agree with what is in it. Ids of the documents that may be in it; nothing may be
 * written to it meanwhile.
 */
export async function agree(
  { indexes, queue }: Pick<Records, 'indexes' | 'queue'>,
  { record, index }: Pick<OpenIndex, 'record' | 'index'>,
): Promise<Set<string>> {
  const there = await index.inventory()
  const lost = [...(await indexes.contents(record.id))].filter(([id, { version, chunks }]) => {
    const found = there.get(id)
    return found === undefined ? chunks > 0 : found.version !== version || found.chunks !== chunks
  })
  await indexes.forget(
    record.id,
    lost.map(([id]) => id),
  )
  const strays = await queue.unknown([...there.keys()])
  if (strays.length > 0) await index.deleteDocuments(strays)
  return new Set(there.keys())
}

export function createReconciler({ records, lifecycle, log }: IngestOptions, writer: IndexWriter): Reconciler {
  let queued: Promise<void> | null = null

  async function forgetNow(): Promise<void> {
    const active = lifecycle.active()
    const ids = await records.queue.tombstones()
    if (active === null || ids.length === 0) return
    for (const { index } of [active, ...lifecycle.inactive()]) await index.deleteDocuments(ids)
    await records.queue.clearTombstones(ids)
  }

  async function reconcileNow(): Promise<void> {
    const active = lifecycle.active()
    if (active === null) return
    await forgetNow()
    const there = await active.index.inventory()
    const expected = await records.queue.expected()
    const lost = [...expected].filter(([id, { version, chunks }]) => {
      const found = there.get(id)
      return found === undefined ? chunks > 0 : found.version !== version || found.chunks !== chunks
    })
    const strays = await records.queue.unknown([...there.keys()])
    if (lost.length > 0) log.warn({ documents: lost.length }, 'the index lacks documents; they are indexed anew')
    await records.queue.requeueMany(lost.map(([id]) => id))
    if (strays.length > 0) await active.index.deleteDocuments(strays)
  }

  return {
    forget() {
      // Deletions that come while one waits for its turn go with it.
      queued ??= writer.exclusive(() => {
        queued = null
        return forgetNow()
      })
      return queued
    },
    reconcile: () =>
      writer.exclusive(async () => {
        try {
          await reconcileNow()
        } catch (error) {
          if (!isDocsearchError(error, 'index_corrupt')) throw error
          await lifecycle.rebuildActive('its files were damaged')
        }
      }),
  }
}
