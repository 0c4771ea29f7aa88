import { sql, type ExpressionBuilder } from 'kysely'
import type { IndexedDocument, Indexes, IndexProgress } from '../indexes.ts'
import { selectDocuments, toDocument } from './document-rows.ts'
import type { ProjectIds } from '../projects.ts'
import { perDialect } from './per-dialect.ts'
import { isOneOf } from './project-ids.ts'
import { slices, type Store, type WriteTransaction } from './store.ts'
import { countPassages } from './counts.ts'
import type { Tables } from './tables.ts'

type Documents = Pick<Indexes, 'missing' | 'wanted' | 'record' | 'contents' | 'forget' | 'progress' | 'countPassages'>

/**
 * What indexes that are not active hold. There is no table of documents that a building index still needs: those are the ready
 * documents that it doesn't hold.
 */
export function createIndexDocuments(store: Store): Documents {
  const { db } = store
  return {
    async missing(id, { after, limit }) {
      const rows = await selectDocuments(db)
        // The `+` keeps SQLite from using the index that begins with the status, and then sorting every document for each call.
        // PostgreSQL has no such operator for texts.
        .where(perDialect({ sqlite: sql<string>`+documents.status`, postgres: sql<string>`documents.status` }), '=', 'ready')
        .where('documents.chunk_count', '>', 0)
        .where('documents.id', '>', after)
        .where(({ not, exists }) => not(exists(isHeldBy(id))))
        .orderBy('documents.id')
        .limit(limit)
        .execute()
      return rows.map(toDocument)
    },
    async wanted(jobs) {
      const wanted = new Set<string>()
      const versions = new Map(jobs.map((job) => [job.documentId, job.version]))
      for (const ids of slices([...versions.keys()])) {
        const rows = await db
          .selectFrom('documents')
          .select(['id', 'version'])
          .where('id', 'in', ids)
          .where('status', '=', 'ready')
          .execute()
        for (const row of rows) if (versions.get(row.id) === row.version) wanted.add(row.id)
      }
      return wanted
    },
    record: (id, documents) => store.write((tx) => record(tx, id, documents)),
    async contents(id) {
      const rows = await db
        .selectFrom('generation_documents')
        .select(['document_id', 'version', 'chunks'])
        .where('generation_id', '=', id)
        .where('chunks', 'is not', null)
        .execute()
      return new Map(rows.map((row) => [row.document_id, { version: row.version, chunks: row.chunks ?? 0 }]))
    },
    forget: (id, documentIds) =>
      store.write(async (tx) => {
        for (const ids of slices(documentIds))
          await tx.sql
            .deleteFrom('generation_documents')
            .where('generation_id', '=', id)
            .where('document_id', 'in', ids)
            .execute()
      }),
    progress: (id, projects) => countProgress(store, id, projects),
    async countPassages(id, projects) {
      const index = await db.selectFrom('generations').select('state').where('id', '=', id).executeTakeFirst()
      if (index?.state === 'active') return countPassages(db, projects)
      const row = await db
        .selectFrom('generation_documents')
        .innerJoin('documents', 'documents.id', 'generation_documents.document_id')
        .select((e) => e.fn.coalesce(e.fn.sum<number>('chunks'), e.lit(0)).as('chunks'))
        .where('generation_id', '=', id)
        .where(isOneOf('documents.project_id', projects))
        .where('documents.status', '=', 'ready')
        .executeTakeFirstOrThrow()
      return Number(row.chunks)
    },
  }
}

async function countProgress({ db }: Store, id: string, projects?: ProjectIds): Promise<IndexProgress> {
  const all = db.selectFrom('documents').where('status', '=', 'ready').where('chunk_count', '>', 0)
  const ready = projects === undefined ? all : all.where(isOneOf('documents.project_id', projects))
  const count = (query: typeof ready) =>
    query
      .select((e) => [
        e.fn.countAll<number>().as('documents'),
        e.fn.coalesce(e.fn.sum<number>('chunk_count'), e.lit(0)).as('passages'),
      ])
      .executeTakeFirstOrThrow()
  const done = await count(ready.where(({ exists }) => exists(isHeldBy(id))))
  const left = await count(ready.where(({ exists, not }) => not(exists(isHeldBy(id)))))
  const held = await db
    .selectFrom('generation_documents')
    .innerJoin('documents', 'documents.id', 'generation_documents.document_id')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('chunks'), e.lit(0)).as('passages'))
    .where('generation_id', '=', id)
    .where('documents.status', '=', 'ready')
    .$if(projects !== undefined, (query) => query.where(isOneOf('documents.project_id', projects ?? new Set())))
    .executeTakeFirstOrThrow()
  const passagesDone = Number(held.passages)
  return {
    done: Number(done.documents),
    total: Number(done.documents) + Number(left.documents),
    passagesDone,
    passagesTotal: passagesDone + Number(left.passages),
  }
}

async function record({ sql }: WriteTransaction, id: string, documents: readonly IndexedDocument[]): Promise<void> {
  const ids = documents.map(({ documentId }) => documentId)
  // A row can only refer to a document that exists. A document that was deleted meanwhile leaves the index by its tombstone.
  const existing = new Set<string>()
  for (const part of slices(ids)) {
    const found = await sql.selectFrom('documents').select('id').where('id', 'in', part).execute()
    for (const row of found) existing.add(row.id)
    await sql.deleteFrom('generation_documents').where('generation_id', '=', id).where('document_id', 'in', part).execute()
  }
  const rows = documents
    .filter(({ documentId }) => existing.has(documentId))
    .map(({ documentId, version, chunks, chunksSkipped, warnings }) => ({
      generation_id: id,
      document_id: documentId,
      version,
      chunks,
      chunks_skipped: chunksSkipped,
      warnings: JSON.stringify(warnings),
    }))
  for (const part of slices(rows, 6)) await sql.insertInto('generation_documents').values(part).execute()
}

/** For a `where` over documents: the index holds the document in its present version. */
function isHeldBy(id: string) {
  return ({ selectFrom, ref }: ExpressionBuilder<Tables, 'documents'>) =>
    selectFrom('generation_documents')
      .select('document_id')
      .where('generation_id', '=', id)
      .whereRef('generation_documents.document_id', '=', 'documents.id')
      .where('generation_documents.version', '=', ref('documents.version'))
}
