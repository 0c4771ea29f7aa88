import type { Kysely } from 'kysely'
import type { DocumentStatus, ProjectCounts } from '../../core/model.ts'
import type { Tables } from './tables.ts'

/*
 * Counts of documents, read from `document_counts`, which triggers on the documents keep (migration-counts.ts): a row for each project and
 * status, so that no question takes longer with more documents.
 */

/** By project; one without documents may be missing. */
export async function countsOf(db: Kysely<Tables>, projectIds: readonly string[]): Promise<Map<string, ProjectCounts>> {
  const counts = new Map<string, ProjectCounts>()
  if (projectIds.length === 0) return counts
  const rows = await db.selectFrom('document_counts').selectAll().where('project_id', 'in', projectIds).execute()
  for (const row of rows) {
    const sum = counts.get(row.project_id) ?? noCounts()
    sum.documents += row.documents
    sum.chunks += Number(row.chunks)
    sum.bytes += Number(row.bytes)
    sum.statuses[row.status] += row.documents
    counts.set(row.project_id, sum)
  }
  return counts
}

export function noCounts(): ProjectCounts {
  return { documents: 0, chunks: 0, bytes: 0, statuses: noStatuses() }
}

/** Of the whole instance, all owners together. */
export async function countsByStatus(db: Kysely<Tables>): Promise<Record<DocumentStatus, number>> {
  const rows = await db
    .selectFrom('document_counts')
    .select((e) => ['status', e.fn.sum<number>('documents').as('documents')])
    .groupBy('status')
    .execute()
  const counts = noStatuses()
  for (const row of rows) counts[row.status] = Number(row.documents)
  return counts
}

/** Queued or processing, in these projects of the owner or in all. */
export async function countPending(db: Kysely<Tables>, ownerId: string, projectIds?: readonly string[]): Promise<number> {
  let query = db
    .selectFrom('document_counts')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('documents'), e.lit(0)).as('pending'))
    .where('owner_id', '=', ownerId)
    .where('status', 'in', ['queued', 'processing'])
  if (projectIds !== undefined) query = query.where('project_id', 'in', projectIds)
  return Number((await query.executeTakeFirstOrThrow()).pending)
}

function noStatuses(): Record<DocumentStatus, number> {
  return { queued: 0, processing: 0, ready: 0, failed: 0 }
}
