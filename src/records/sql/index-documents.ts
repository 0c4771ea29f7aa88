import { sql } from 'kysely'
import type { ExpressionBuilder } from 'kysely'
import type { Indexes } from '../indexes.ts'
import { selectDocuments, toDocument } from './document-rows.ts'
import { slices } from './store.ts'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

type Documents = Pick<Indexes, 'missing' | 'wanted' | 'record' | 'contents' | 'forget' | 'progress'>

/** What the indexes that are not in use hold. The queue of a change is no table: it is what is ready and not in here yet. */
export function createIndexDocuments(store: Store): Documents {
  const { db } = store
  return {
    async missing(id, { after, limit }) {
      const rows = await selectDocuments(db)
        // The sign keeps SQLite from taking the index that begins with this, and sorting every document for each page.
        .where(sql<string>`+documents.status`, '=', 'ready')
        .where('documents.chunk_count', '>', 0)
        .where('documents.id', '>', after)
        .where(({ not, exists }) => not(exists(holds(id))))
        .orderBy('documents.id')
        .limit(limit)
        .execute()
      return rows.map(toDocument)
    },
    async wanted(jobs) {
      const found = new Set<string>()
      const versions = new Map(jobs.map((job) => [job.documentId, job.version]))
      for (const ids of slices([...versions.keys()])) {
        const rows = await db
          .selectFrom('documents')
          .select(['id', 'version'])
          .where('id', 'in', ids)
          .where('status', '=', 'ready')
          .execute()
        for (const row of rows) if (versions.get(row.id) === row.version) found.add(row.id)
      }
      return found
    },
    record: (id, documents) =>
      store.write(async ({ sql }) => {
        const ids = documents.map(({ documentId }) => documentId)
        // One that was deleted since has no row to refer to; its tombstone takes it out of the index.
        const there = new Set<string>()
        for (const part of slices(ids)) {
          const found = await sql.selectFrom('documents').select('id').where('id', 'in', part).execute()
          for (const row of found) there.add(row.id)
          await sql.deleteFrom('generation_documents').where('generation_id', '=', id).where('document_id', 'in', part).execute()
        }
        const rows = documents
          .filter(({ documentId }) => there.has(documentId))
          .map(({ documentId, version, chunks, chunksSkipped, warnings }) => ({
            generation_id: id,
            document_id: documentId,
            version,
            chunks,
            chunks_skipped: chunksSkipped,
            warnings: JSON.stringify(warnings),
          }))
        for (const part of slices(rows, 6)) await sql.insertInto('generation_documents').values(part).execute()
      }),
    async contents(id) {
      const rows = await db
        .selectFrom('generation_documents')
        .select(['document_id', 'version', 'chunks'])
        .where('generation_id', '=', id)
        .where('chunks', 'is not', null)
        .execute()
      return new Map(rows.map((row) => [row.document_id, { version: row.version, chunks: row.chunks ?? 0 }]))
    },
    async forget(id, documentIds) {
      for (const ids of slices(documentIds))
        await db.deleteFrom('generation_documents').where('generation_id', '=', id).where('document_id', 'in', ids).execute()
    },
    async progress(id) {
      const ready = db.selectFrom('documents').where('status', '=', 'ready').where('chunk_count', '>', 0)
      const count = (query: typeof ready) => query.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const total = await count(ready)
      const done = await count(ready.where(({ exists }) => exists(holds(id))))
      return { done: Number(done.count), total: Number(total.count) }
    },
  }

  /** For a `where` over documents: this index has it, in the version it has now. */
  function holds(id: string) {
    return ({ selectFrom, ref }: ExpressionBuilder<Tables, 'documents'>) =>
      selectFrom('generation_documents')
        .select('document_id')
        .where('generation_id', '=', id)
        .whereRef('generation_documents.document_id', '=', 'documents.id')
        .where('generation_documents.version', '=', ref('documents.version'))
  }
}
