import { sql } from 'kysely'
import type { RawBuilder, UpdateObject } from 'kysely'
import type { Queue } from '../queue.ts'
import { EMBEDDING_FAILURES } from '../rules.ts'
import { freshVersion } from './document-rows.ts'
import { slices } from './store.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { Tables } from './tables.ts'

type Recovery = Pick<Queue, 'recover' | 'requeueLost' | 'requeueAll' | 'requeueMany' | 'expected' | 'unknown'>

/** The methods that make the queue and the index agree again, after a crash or for a new index. */
export function createQueueRecovery(store: Store): Recovery {
  const { db, now } = store
  return {
    recover: () =>
      store.write(async (tx) => {
        await tx.engine.claims.forgetStopped(tx.sql)
        return requeue(tx, now(), { isWanted: tx.engine.claims.isAbandoned, countAttempt: true })
      }),
    async requeueLost(inProgress) {
      const { claims } = store.engine
      const isLost = claims.isOwn()
      const isWanted = inProgress.length === 0 ? isLost : sql<boolean>`${isLost} and id not in (${sql.join(inProgress)})`
      const documents = await store.write((tx) => requeue(tx, now(), { isWanted, countAttempt: false }))
      if (inProgress.length === 0) await claims.endLease()
      return documents
    },
    requeueAll: () =>
      store.write(async (tx) => {
        const rows = await tx.sql
          .updateTable('documents')
          .set({ ...reindexColumns(now()), indexed: 0 })
          .where((e) =>
            e.or([
              e('status', 'in', ['ready', 'processing']),
              e.and([e('status', '=', 'failed'), e('error_code', 'in', EMBEDDING_FAILURES)]),
            ]),
          )
          .returningAll()
          .execute()
        // The new index is empty, so it has no earlier version of any document.
        await tx.sql.updateTable('documents').set({ indexed: 0 }).where('indexed', '=', 1).execute()
        await tx.announce('document.queued', rows)
        return rows.length
      }),
    requeueMany: (documentIds) =>
      store.write(async (tx) => {
        for (const ids of slices(documentIds)) {
          const rows = await tx.sql
            .updateTable('documents')
            .set({ ...reindexColumns(now()), indexed: 1 })
            .where('id', 'in', ids)
            .where('status', '=', 'ready')
            .returningAll()
            .execute()
          await tx.announce('document.queued', rows)
        }
      }),
    async expected() {
      const rows = await db
        .selectFrom('documents')
        .select(['id', 'version', 'chunk_count'])
        .where('status', '=', 'ready')
        .execute()
      return new Map(rows.map((row) => [row.id, { version: row.version, chunks: row.chunk_count ?? 0 }]))
    },
    async unknown(documentIds) {
      const unknown = new Set(documentIds)
      for (const ids of slices(documentIds)) {
        const rows = await db
          .selectFrom('documents')
          .select('id')
          .where('id', 'in', ids)
          .where('status', '!=', 'failed')
          .execute()
        for (const row of rows) unknown.delete(row.id)
      }
      return [...unknown]
    },
  }
}

/** Queues the documents again that are processing and match `isWanted`. Returns how many. */
async function requeue(
  tx: WriteTransaction,
  now: number,
  { isWanted, countAttempt }: { isWanted: RawBuilder<boolean>; countAttempt: boolean },
): Promise<number> {
  const attempts = sql<number>`case when attempts > 0 then attempts - 1 else 0 end`
  const rows = await tx.sql
    .updateTable('documents')
    .set({ status: 'queued', updated_at: now, ...(!countAttempt && { attempts }) })
    .where('status', '=', 'processing')
    .where(isWanted)
    .returningAll()
    .execute()
  await tx.announce('document.queued', rows)
  return rows.length
}

/**
 * Queues the same bytes as a new version, so that results of work that is under way for the old index are dropped. Pages that are
 * stored, with title, warnings and health, belong to the new version too.
 */
export function reindexColumns(now: number): UpdateObject<Tables, 'documents'> {
  const { title: _title, page_count: _count, warnings: _warnings, health: _health, parse: _parse, ...rest } = freshVersion(now)
  return {
    ...rest,
    version: sql<number>`version + 1`,
    pages_version: sql<number | null>`case when pages_version = version then version + 1 end`,
  }
}
