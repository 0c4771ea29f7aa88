import { sql } from 'kysely'
import type { UpdateObject } from 'kysely'
import type { Queue } from '../queue.ts'
import { EMBEDDING_FAILURES } from '../rules.ts'
import { fresh } from './document-rows.ts'
import { slices } from './store.ts'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

type Recovery = Pick<Queue, 'recover' | 'requeueAll' | 'requeueMany' | 'expected' | 'unknown'>

/** What brings the queue and the index to agree again after a crash or when the index is built anew. */
export function createQueueRecovery(store: Store): Recovery {
  const { db, now } = store
  return {
    recover: () =>
      store.write(async (tx) => {
        const rows = await tx.sql
          .updateTable('documents')
          .set({ status: 'queued', not_before: null, updated_at: now() })
          .where('status', '=', 'processing')
          .returningAll()
          .execute()
        await tx.announce('document.queued', rows)
        return rows.length
      }),
    requeueAll: () =>
      store.write(async (tx) => {
        const rows = await tx.sql
          .updateTable('documents')
          .set({ ...indexAnew(now()), indexed: 0 })
          .where((e) =>
            e.or([
              e('status', 'in', ['ready', 'processing']),
              e.and([e('status', '=', 'failed'), e('error_code', 'in', EMBEDDING_FAILURES)]),
            ]),
          )
          .returningAll()
          .execute()
        // The new index is empty: no earlier version of anything is in it.
        await tx.sql.updateTable('documents').set({ indexed: 0 }).where('indexed', '=', 1).execute()
        await tx.announce('document.queued', rows)
        return rows.length
      }),
    requeueMany: (documentIds) =>
      store.write(async (tx) => {
        for (const ids of slices(documentIds)) {
          const rows = await tx.sql
            .updateTable('documents')
            .set({ ...indexAnew(now()), indexed: 1 })
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

/**
 * The same bytes once more: another version, so that work under way for the old index is thrown away; pages already extracted,
 * with title, warnings and health, belong to that version too.
 */
export function indexAnew(now: number): UpdateObject<Tables, 'documents'> {
  const { title: _title, page_count: _count, warnings: _warnings, health: _health, parse: _parse, ...rest } = fresh(now)
  return {
    ...rest,
    version: sql<number>`version + 1`,
    pages_version: sql<number | null>`case when pages_version = version then version + 1 end`,
  }
}
