import type { JobRef, QueuedDocument, Queue } from '../queue.ts'
import { bury, withTagsOfFile } from './document-changes.ts'
import { countsByStatus } from './document-counts.ts'
import { selectDocuments, toDocument } from './document-rows.ts'
import { createQueueRecovery } from './queue-recovery.ts'
import { slices } from './store.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'
import { changeWords, type DocumentWords } from './vocabulary-changes.ts'

export function createQueue(store: Store): Queue {
  const { db, now } = store

  async function claim(limit: number): Promise<QueuedDocument[]> {
    // A look costs less than a transaction, and most often nothing waits.
    const waiting = await db.selectFrom('documents').select('id').where('status', '=', 'queued').limit(1).executeTakeFirst()
    if (waiting === undefined) return []
    const claimed = await store.write(async (tx) => {
      const due = tx.sql
        .selectFrom('documents')
        .select('id')
        .where('status', '=', 'queued')
        .where((e) => e.or([e('not_before', 'is', null), e('not_before', '<=', now())]))
        // One that the daemon died over comes after those that have not been tried, so that it cannot hold them up.
        .orderBy('attempts')
        .orderBy('queued_at')
        .orderBy('id')
        .limit(limit)
      const rows = await tx.sql
        .updateTable('documents')
        .set((e) => ({ status: 'processing' as const, attempts: e('attempts', '+', 1), updated_at: now() }))
        // And no `status` beside it: SQLite would then walk through the whole queue for each claim.
        .where('id', 'in', due)
        .returningAll()
        .execute()
      await tx.announce('document.processing', rows)
      return rows
    })
    if (claimed.length === 0) return []
    const named = await selectDocuments(db)
      .where(
        'documents.id',
        'in',
        claimed.map((row) => row.id),
      )
      .execute()
    // A document deleted since then is no job any more.
    return named
      .filter((row) => row.status === 'processing')
      .sort((a, b) => a.attempts - b.attempts || a.queued_at - b.queued_at)
      .map((row) => ({
        documentId: row.id,
        version: row.version,
        document: toDocument(row),
        attempts: row.attempts - 1,
        hasPages: row.pages_version === row.version,
        isNew: row.indexed === 0,
      }))
  }

  /** The row of a job, unless another version has taken its place or it is not worked on any more. */
  function wanted(tx: WriteTransaction, job: JobRef): Promise<DocumentRow | undefined> {
    return tx.sql
      .selectFrom('documents')
      .selectAll()
      .where('id', '=', job.documentId)
      .where('version', '=', job.version)
      .where('status', '=', 'processing')
      .executeTakeFirst()
  }

  return {
    claim,
    async nextDue() {
      const row = await db
        .selectFrom('documents')
        .select('not_before')
        .where('status', '=', 'queued')
        .orderBy((e) => e.fn.coalesce('not_before', e.lit(0)))
        .limit(1)
        .executeTakeFirst()
      return row ? new Date(row.not_before ?? now()) : null
    },
    savePages: (job, parsed) =>
      store.write(async (tx) => {
        const row = await wanted(tx, job)
        if (!row) return null
        const { tags, parse } = withTagsOfFile(row, parsed)
        await tx.sql.deleteFrom('pages').where('document_id', '=', job.documentId).execute()
        const rows = parsed.pages.map(({ number, text, blocks }) => ({
          document_id: job.documentId,
          number,
          text,
          blocks: JSON.stringify(blocks),
        }))
        // Smaller slices than there are parameters: a page is large.
        for (let i = 0; i < rows.length; i += 100)
          await tx.sql
            .insertInto('pages')
            .values(rows.slice(i, i + 100))
            .execute()
        await tx.sql
          .updateTable('documents')
          .set({
            title: parsed.title,
            page_count: parsed.pageCount,
            warnings: JSON.stringify(parsed.warnings),
            health: JSON.stringify(parsed.health),
            tags,
            parse,
            pages_version: job.version,
            // It came through its parser: what happens from here on is counted anew.
            attempts: 1,
            updated_at: now(),
          })
          .where('id', '=', job.documentId)
          .execute()
        return { tags: JSON.parse(tags) as string[] }
      }),
    beginIndexing: (jobs) =>
      store.write(async (tx) => {
        const still: JobRef[] = []
        for (const job of jobs) if (await wanted(tx, job)) still.push(job)
        for (const ids of slices(still.map((job) => job.documentId))) {
          await tx.sql.updateTable('documents').set({ indexed: 1 }).where('id', 'in', ids).where('indexed', '=', 0).execute()
        }
        return still
      }),
    finish: (results) =>
      store.write(async (tx) => {
        const unwanted: JobRef[] = []
        const done: DocumentRow[] = []
        const counted: DocumentWords[] = []
        for (const { job, chunkCount, chunksSkipped, embeddingModel, warnings, words } of results) {
          const row = await wanted(tx, job)
          if (!row) {
            unwanted.push(job)
            continue
          }
          counted.push({
            documentId: row.id,
            ownerId: row.owner_id,
            counted: words === undefined ? null : { words, passages: chunkCount },
          })
          const health = { ...JSON.parse(row.health), chunksSkipped }
          done.push(
            await tx.sql
              .updateTable('documents')
              .set({
                status: 'ready',
                ready_at: now(),
                updated_at: now(),
                chunk_count: chunkCount,
                embedding_model: embeddingModel,
                health: JSON.stringify(health),
                warnings: JSON.stringify([...JSON.parse(row.warnings), ...warnings]),
                attempts: 0,
                indexed: chunkCount > 0 ? 1 : 0,
              })
              .where('id', '=', job.documentId)
              .returningAll()
              .executeTakeFirstOrThrow(),
          )
        }
        // Its chunks of now have just taken the place of those that were to be forgotten.
        for (const ids of slices(done.map((row) => row.id)))
          await tx.sql.deleteFrom('tombstones').where('document_id', 'in', ids).execute()
        await changeWords(tx.sql, counted)
        await tx.announce('document.ready', done)
        return unwanted
      }),
    fail: (job, { code, message }) =>
      store.write(async (tx) => {
        const row = await wanted(tx, job)
        if (!row) return
        const change = {
          status: 'failed' as const,
          error_code: code,
          error_message: message,
          updated_at: now(),
          attempts: 0,
          indexed: 0,
        }
        const failed = await tx.sql
          .updateTable('documents')
          .set(change)
          .where('id', '=', row.id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await changeWords(tx.sql, [{ documentId: row.id, ownerId: row.owner_id, counted: null }])
        // What was searchable of an earlier version goes: a failed document is not found.
        if (row.indexed === 1) await bury(tx, [row.id], now())
        await tx.announce('document.failed', [failed])
      }),
    release: (job, { notBefore, countAttempt }) =>
      store.write(async (tx) => {
        const row = await wanted(tx, job)
        if (!row) return
        const attempts = countAttempt ? row.attempts : Math.max(0, row.attempts - 1)
        const change = { status: 'queued' as const, not_before: notBefore.getTime(), updated_at: now(), attempts }
        await tx.announce('document.queued', [
          await tx.sql.updateTable('documents').set(change).where('id', '=', row.id).returningAll().executeTakeFirstOrThrow(),
        ])
      }),
    async tombstones() {
      const rows = await db.selectFrom('tombstones').select('document_id').orderBy('created_at').execute()
      return rows.map((row) => row.document_id)
    },
    async clearTombstones(documentIds) {
      for (const ids of slices(documentIds)) await db.deleteFrom('tombstones').where('document_id', 'in', ids).execute()
    },
    counts: () => countsByStatus(db),
    ...createQueueRecovery(store),
  }
}
