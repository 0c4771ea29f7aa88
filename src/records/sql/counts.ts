import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DocumentStatus, ProjectCounts, Quotas, Usage } from '../../core/model.ts'
import type { ProjectIds } from '../projects.ts'
import { type Allowance, effectiveQuotas, NO_USAGE } from '../quotas.ts'
import { perDialect, positionOf } from './per-dialect.ts'
import { isOneOf } from './project-ids.ts'
import { slices } from './store.ts'
import type { Tables, UserRow } from './tables.ts'

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

// Usage comes from the table `usage`, which triggers on the documents maintain (count-triggers.ts).

/** Returns the usage of each user. */
export async function readUsage(db: Kysely<Tables>, userIds: readonly string[]): Promise<Map<string, Usage>> {
  const usage = new Map(userIds.map((id) => [id, NO_USAGE]))
  for (const ids of slices(userIds)) {
    const rows = await db.selectFrom('usage').selectAll().where('owner_id', 'in', ids).execute()
    for (const { owner_id, documents, bytes, passages } of rows)
      usage.set(owner_id, { documents, bytes: Number(bytes), passages: Number(passages) })
  }
  return usage
}

/** Counts all users, and sums up what they use. */
export async function readTotals(
  db: Kysely<Tables>,
): Promise<{ users: number; disabled: number; documents: number; bytes: number }> {
  const users = await db
    .selectFrom('users')
    .select((e) => [e.fn.countAll<number>().as('all'), e.fn.count<number>('disabled_at').as('disabled')])
    .executeTakeFirstOrThrow()
  const used = await db
    .selectFrom('usage')
    .select((e) => [e.fn.sum<number | null>('documents').as('documents'), e.fn.sum<number | null>('bytes').as('bytes')])
    .executeTakeFirstOrThrow()
  return {
    users: Number(users.all),
    disabled: Number(users.disabled),
    documents: Number(used.documents ?? 0),
    bytes: Number(used.bytes ?? 0),
  }
}

/** Reads a user's usage and quotas. Call it in the transaction that adds documents. */
export async function readAllowance(db: Kysely<Tables>, userId: string, ofInstance: Quotas): Promise<Allowance> {
  const row = await db
    .selectFrom('users')
    .leftJoin('usage', 'usage.owner_id', 'users.id')
    .select(['quota_documents', 'quota_bytes', 'quota_passages', 'documents', 'bytes', 'passages'])
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
  const { documents, bytes, passages } = row
  const used = documents === null ? NO_USAGE : { documents, bytes: Number(bytes), passages: Number(passages) }
  return { used, quotas: effectiveQuotas(quotasOf(row), ofInstance) }
}

/** Returns the user's own quotas. */
export function quotasOf(row: Pick<UserRow, 'quota_documents' | 'quota_bytes' | 'quota_passages'>): Quotas {
  return { documents: row.quota_documents, bytes: row.quota_bytes, passages: row.quota_passages }
}

/** How to count what a table stores. Triggers on the documents maintain these tables; `docsearch doctor` compares them. */
interface Counted {
  key: readonly string[]
  values: readonly string[]
  /** Selects key and values, in this order. */
  from: RawBuilder<unknown>
}

export const COUNTED: Record<'document_counts' | 'folder_counts' | 'usage' | 'queue_turns', Counted> = {
  document_counts: {
    key: ['project_id', 'status'],
    values: ['documents', 'chunks', 'bytes'],
    from: sql`select project_id, status, count(*), coalesce(sum(chunk_count), 0), sum(size_bytes) from documents group by 1, 2`,
  },
  folder_counts: {
    key: ['project_id', 'folder'],
    values: ['documents'],
    from: sql`select project_id, substr(path, 1, ${positionOf('/', sql.ref('path'))}) as folder, count(*) from documents
      where parent_id is null group by 1, 2`,
  },
  usage: {
    key: ['owner_id'],
    values: ['documents', 'bytes', 'passages'],
    from: sql`select owner_id, sum(documents), sum(bytes), sum(passages) from (
        select owner_id, 1 as documents, size_bytes as bytes, passages from documents
        union all select owner_id, 0, size_bytes, 0 from trash) as used
      group by 1`,
  },
  queue_turns: {
    key: ['owner_id'],
    values: ['waiting'],
    from: sql`select owner_id, count(*) from documents where status = 'queued' group by 1`,
  },
}

const space = positionOf(' ', sql.ref('w.value'))

/** Selects the words of each vocabulary with their number of documents, from the words of each document. */
export const COUNTED_WORDS = sql`select v.id as vocabulary_id, substr(w.value, ${space} + 1) as word,
    substr(w.value, 1, ${space} - 1) as term, count(*) as documents
  from document_words dw join documents d on d.id = dw.document_id join vocabularies v on v.project_id = d.project_id
    cross join ${perDialect({ sqlite: sql`json_each(dw.words)`, postgres: sql`json_array_elements_text(dw.words::json)` })} as w
  group by 1, 2, 3`
