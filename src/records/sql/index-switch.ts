import { sql } from 'kysely'
import type { DocumentWarning } from '../../core/model.ts'
import { isEmbeddingWarning } from '../indexes.ts'
import { perDialect } from './per-dialect.ts'
import { reindexColumns } from './queue-recovery.ts'
import { slices, type WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'

/** Indexes.switchTo, inside a transaction. */
export async function switchTo(
  tx: WriteTransaction,
  now: number,
  id: string,
  { waitForReplaced, parserVersion }: { waitForReplaced: boolean; parserVersion: number },
): Promise<boolean> {
  const next = await tx.sql
    .selectFrom('generations')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'building')
    .executeTakeFirst()
  if (next === undefined || (await isIncomplete(tx, id, waitForReplaced))) return false
  const old = await tx.sql.selectFrom('generations').selectAll().where('state', '=', 'active').executeTakeFirst()
  const isRetired = old !== undefined && old.embedding_model !== next.embedding_model
  if (isRetired) await rememberContents(tx, old.id)
  await takeOverContents(tx, id, next.embedding_model)
  await queueNotEmbedded(tx, id, now)
  await queueReadByOthers(tx, parserVersion, now)
  await tx.sql.deleteFrom('generation_documents').where('generation_id', '=', id).execute()
  if (isRetired) await tx.sql.updateTable('generations').set({ state: 'kept' }).where('id', '=', old.id).execute()
  else if (old) await tx.sql.deleteFrom('generations').where('id', '=', old.id).execute()
  await tx.sql.updateTable('generations').set({ state: 'active' }).where('id', '=', id).execute()
  return true
}

async function isIncomplete(tx: WriteTransaction, id: string, waitForReplaced: boolean): Promise<boolean> {
  const row = await tx.sql
    .selectFrom('documents')
    .leftJoin('generation_documents as held', (join) =>
      join.onRef('held.document_id', '=', 'documents.id').on('held.generation_id', '=', id),
    )
    .select('documents.id')
    .where((e) =>
      e.or([
        e.and([
          e('status', '=', 'ready'),
          e('chunk_count', '>', 0),
          e.or([e('held.version', 'is', null), e('held.version', '!=', e.ref('documents.version'))]),
        ]),
        // A document that is being replaced: search finds its former version now, and the new index has no version of it.
        ...(waitForReplaced
          ? [e.and([e('status', 'in', ['queued', 'processing']), e('indexed', '=', 1), e('held.version', 'is', null)])]
          : []),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Writes down what the active index holds, before the documents' rows say what the next index holds. */
async function rememberContents(tx: WriteTransaction, id: string): Promise<void> {
  await tx.sql.deleteFrom('generation_documents').where('generation_id', '=', id).execute()
  await tx.sql
    .insertInto('generation_documents')
    .columns(['generation_id', 'document_id', 'version', 'chunks', 'chunks_skipped', 'warnings'])
    .expression((e) =>
      e
        .selectFrom('documents')
        .select(({ ref, val, lit }) => [
          val(id).as('generation_id'),
          ref('id').as('document_id'),
          ref('version').as('version'),
          ref('chunk_count').as('chunks'),
          lit(0).as('chunks_skipped'),
          val('[]').as('warnings'),
        ])
        .where('status', '=', 'ready')
        .where('chunk_count', '>', 0),
    )
    .execute()
  for (const row of await selectWithSkippedChunks(tx)) {
    const { health, warnings } = parseHealth(row)
    await tx.sql
      .updateTable('generation_documents')
      .set({ chunks_skipped: health.chunksSkipped, warnings: JSON.stringify(warnings.filter(isEmbeddingWarning)) })
      .where('generation_id', '=', id)
      .where('document_id', '=', row.id)
      .execute()
  }
}

/** Makes the documents' rows say what this index holds. */
async function takeOverContents(tx: WriteTransaction, id: string, embeddingModel: string): Promise<void> {
  // Few documents have passages without a vector, so these are written one by one.
  for (const row of await selectWithSkippedChunks(tx)) await writeSkipped(tx, row, 0, [])
  await tx.sql
    .updateTable('documents')
    .set((e) => ({
      embedding_model: embeddingModel,
      chunk_count: e.fn.coalesce(
        e
          .selectFrom('generation_documents')
          .select('chunks')
          .where('generation_id', '=', id)
          .whereRef('document_id', '=', 'documents.id'),
        'chunk_count',
      ),
    }))
    .where('status', '=', 'ready')
    .execute()
  await tx.sql
    .updateTable('documents')
    .set((e) => ({ passages: e.fn.coalesce('chunk_count', e.lit(0)) }))
    .where('status', '=', 'ready')
    .whereRef('passages', '<>', 'chunk_count')
    .execute()
  const skipped = await tx.sql
    .selectFrom('generation_documents')
    .innerJoin('documents', 'documents.id', 'generation_documents.document_id')
    .selectAll('documents')
    .select(['generation_documents.chunks_skipped as skipped', 'generation_documents.warnings as given'])
    .where('generation_id', '=', id)
    .where('chunks_skipped', '>', 0)
    .where('status', '=', 'ready')
    .execute()
  for (const row of skipped) await writeSkipped(tx, row, row.skipped, JSON.parse(row.given) as DocumentWarning[])
}

/** Queues the documents that the new embedder could not embed. Indexing them like an upload tells the user why. */
async function queueNotEmbedded(tx: WriteTransaction, id: string, now: number): Promise<void> {
  const rows = await tx.sql
    .selectFrom('generation_documents')
    .select('document_id')
    .where('generation_id', '=', id)
    .where('chunks', 'is', null)
    .execute()
  for (const ids of slices(rows.map((row) => row.document_id))) {
    const queued = await tx.sql
      .updateTable('documents')
      .set({ ...reindexColumns(now), indexed: 1 })
      .where('id', 'in', ids)
      .where('status', '=', 'ready')
      .returningAll()
      .execute()
    await tx.announce('document.queued', queued)
  }
}

const STORED_PARSER_VERSION = perDialect({
  sqlite: sql<number>`json_extract(parse, '$.parser_version')`,
  postgres: sql<number>`(parse::json ->> 'parser_version')::integer`,
})

/** Queues the ready documents that another version of the parsers has read. Returns how many. */
export async function queueReadByOthers(tx: WriteTransaction, parserVersion: number, now: number): Promise<number> {
  const queued = await tx.sql
    .updateTable('documents')
    .set({ ...reindexColumns(now), indexed: 1 })
    .where('status', '=', 'ready')
    .where(sql<number>`coalesce(${STORED_PARSER_VERSION}, 0)`, '<>', parserVersion)
    .returningAll()
    .execute()
  await tx.announce('document.queued', queued)
  return queued.length
}

function selectWithSkippedChunks(tx: WriteTransaction): Promise<DocumentRow[]> {
  return tx.sql
    .selectFrom('documents')
    .selectAll()
    .where('status', '=', 'ready')
    .where('health', 'like', '%"chunksSkipped":%')
    .where('health', 'not like', '%"chunksSkipped":0%')
    .execute()
}

async function writeSkipped(
  tx: WriteTransaction,
  row: DocumentRow,
  chunksSkipped: number,
  given: readonly DocumentWarning[],
): Promise<void> {
  const { health, warnings } = parseHealth(row)
  const change = {
    health: JSON.stringify({ ...health, chunksSkipped }),
    warnings: JSON.stringify([...warnings.filter((warning) => !isEmbeddingWarning(warning)), ...given]),
  }
  await tx.sql.updateTable('documents').set(change).where('id', '=', row.id).execute()
}

function parseHealth(row: DocumentRow): { health: { chunksSkipped: number }; warnings: DocumentWarning[] } {
  return {
    health: JSON.parse(row.health) as { chunksSkipped: number },
    warnings: JSON.parse(row.warnings) as DocumentWarning[],
  }
}
