import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { DocumentStatus, ProjectCounts } from '../../core/model.ts'
import type { ProjectIds } from '../projects.ts'
import { isOneOf } from './project-ids.ts'
import type { Tables } from './tables.ts'

// Counts of documents come from `document_counts`, which triggers on the documents maintain (count-triggers.ts). It has one row
// for each project and status, so that counting takes the same time however many documents there are.

/** Returns counts by project. A project without documents may be missing. */
export async function countByProject(db: Kysely<Tables>, projectIds: readonly string[]): Promise<Map<string, ProjectCounts>> {
  const counts = new Map<string, ProjectCounts>()
  if (projectIds.length === 0) return counts
  const rows = await db.selectFrom('document_counts').selectAll().where('project_id', 'in', projectIds).execute()
  for (const row of rows) {
    const sum = counts.get(row.project_id) ?? zeroCounts()
    sum.documents += row.documents
    sum.chunks += Number(row.chunks)
    sum.bytes += Number(row.bytes)
    sum.statuses[row.status] += row.documents
    counts.set(row.project_id, sum)
  }
  return counts
}

export function zeroCounts(): ProjectCounts {
  return { documents: 0, chunks: 0, bytes: 0, statuses: zeroStatuses() }
}

/** Counts the documents of some projects, or of all. */
export async function countByStatus(db: Kysely<Tables>, projects?: ProjectIds): Promise<Record<DocumentStatus, number>> {
  let query = db
    .selectFrom('document_counts')
    .select((e) => ['status', e.fn.sum<number>('documents').as('documents')])
    .groupBy('status')
  if (projects !== undefined) query = query.where(isOneOf('project_id', projects))
  const rows = await query.execute()
  const counts = zeroStatuses()
  for (const row of rows) counts[row.status] = Number(row.documents)
  return counts
}

/** Counts the queued and processing documents of each project that has some. */
export async function pendingByProject(db: Kysely<Tables>): Promise<Map<string, number>> {
  // Literals, because SQLite uses a partial index only for a condition that repeats the index's own.
  const rows = await db
    .selectFrom('document_counts')
    .select((e) => ['project_id', e.fn.sum<number>('documents').as('documents')])
    .where(sql<boolean>`status in ('queued', 'processing') and documents > 0`)
    .groupBy('project_id')
    .execute()
  return new Map(rows.map((row) => [row.project_id, Number(row.documents)]))
}

/** Counts the passages of the ready documents of some projects, which the active index holds. */
export async function countPassages(db: Kysely<Tables>, projects: ProjectIds): Promise<number> {
  const row = await db
    .selectFrom('document_counts')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('chunks'), e.lit(0)).as('chunks'))
    .where(isOneOf('project_id', projects))
    .where('status', '=', 'ready')
    .executeTakeFirstOrThrow()
  return Number(row.chunks)
}

function zeroStatuses(): Record<DocumentStatus, number> {
  return { queued: 0, processing: 0, ready: 0, failed: 0 }
}
