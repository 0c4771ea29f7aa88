import { type Kysely, sql } from 'kysely'
import type { DocsearchError } from '../../core/errors.ts'
import type { DocumentWarning, Quotas } from '../../core/model.ts'
import type { CutJob, FinishedJob, JobRef, ParsedPages, Queue, QueuedDocument, SavedPages } from '../queue.ts'
import { describeSkipped } from '../attachments.ts'
import { storedTitle } from '../rules.ts'
import { NO_QUOTAS, passagesRefusal } from '../quotas.ts'
import { hasAttachments, saveAttachments } from './attachments.ts'
import { findNextQueued, type Unread } from './engine.ts'
import { addTombstones, givenTitle, parseColumns } from './document-changes.ts'
import { countByStatus, readAllowance } from './counts.ts'
import { pageChecksum, selectDocuments, toDocument } from './document-rows.ts'
import { numberRows } from './per-dialect.ts'
import { indexQuotesOf, saveMessages } from './messages.ts'
import { createQueueRecovery } from './queue-recovery.ts'
import { SHARED, slices, type Store, type WriteTransaction } from './store.ts'
import type { DocumentRow, Tables } from './tables.ts'
import { changeWords, type DocumentWords } from './vocabulary.ts'

/** Pages are large, so fewer of them go into one statement than its parameters would allow. */
const PAGES_AT_ONCE = 100

export function createQueue(store: Store): Queue {
  const { db, now } = store
  return {
    async claim(limit, { except = [] } = {}) {
      await store.engine.claims.prepare()
      // A query costs less than a transaction, and most of the time there is nothing to claim.
      if ((await findNextQueued(store.db, except)) === undefined) return []
      return claim(store, limit, { except })
    },
    savePages: (job, parsed, quotas = NO_QUOTAS) =>
      store.writeStep((tx) => savePages(tx, { job, parsed, quotas, at: store.clock.now() }), SHARED),
    beginIndexing: (jobs, quotas = NO_QUOTAS) => store.write((tx) => beginIndexing(tx, jobs, quotas), SHARED),
    finish: (results) => store.writeStep((tx) => finish(tx, now(), results), SHARED),
    fail: (job, { code, message }) =>
      store.write(async (tx) => {
        await tx.engine.lockOwnersOf(tx.sql, [job.documentId])
        const row = await findWanted(tx, job)
        if (!row) return
        const failure = {
          status: 'failed' as const,
          error_code: code,
          error_message: message,
          attempts: 0,
          indexed: 0,
          passages: 0,
        }
        const failed = await updateDocument(tx, row.id, { ...failure, updated_at: now() })
        await changeWords(tx.sql, [{ documentId: row.id, projectId: row.project_id, words: null }])
        if (row.indexed === 1) await addTombstones(tx, [row.id], now())
        await indexQuotesOf(tx, [row.id], now())
        await tx.announce('document.failed', [failed])
      }, SHARED),
    release: (job, { countAttempt }) =>
      store.write(async (tx) => {
        await tx.engine.lockOwnersOf(tx.sql, [job.documentId])
        const row = await findWanted(tx, job)
        if (!row) return
        const attempts = countAttempt ? row.attempts : Math.max(0, row.attempts - 1)
        const change = { status: 'queued' as const, updated_at: now(), attempts }
        await tx.announce('document.queued', [await updateDocument(tx, row.id, change)])
      }, SHARED),
    async tombstones() {
      const rows = await db.selectFrom('tombstones').select('document_id').orderBy('created_at').execute()
      return rows.map((row) => row.document_id)
    },
    clearTombstones: (documentIds) =>
      store.write(async (tx) => {
        for (const ids of slices(documentIds)) await tx.sql.deleteFrom('tombstones').where('document_id', 'in', ids).execute()
      }),
    oldest: () => findOldest(db),
    counts: (projects) => countByStatus(db, projects),
    ...createQueueRecovery(store),
  }
}

export async function claim(
  store: Store,
  limit: number,
  options: { except: readonly string[]; unread?: Unread },
): Promise<QueuedDocument[]> {
  const claims = await store.writeStep((tx) => claimDue(tx, store.now(), { limit, ...options }), SHARED)
  return readClaimed(store.db, claims)
}

/** A document that this process has claimed. */
export type Claimed = Pick<JobRef, 'documentId' | 'lease'>

export async function readClaimed(db: Kysely<Tables>, claims: readonly Claimed[]): Promise<QueuedDocument[]> {
  if (claims.length === 0) return []
  const ids = claims.map(({ documentId }) => documentId)
  const rows = await selectDocuments(db).where('documents.id', 'in', ids).execute()
  const places = new Map(ids.map((id, place) => [id, place]))
  // A document that was deleted since the transaction is missing here.
  return rows
    .filter((row) => row.status === 'processing')
    .sort((a, b) => places.get(a.id)! - places.get(b.id)!)
    .map((row) => ({
      ...claims[places.get(row.id)!]!,
      version: row.version,
      document: toDocument(row),
      attempts: row.attempts - 1,
      hasPages: row.pages_version === row.version,
      isNew: row.indexed === 0,
    }))
}

async function claimDue(
  tx: WriteTransaction,
  now: number,
  { limit, except, unread }: { limit: number; except: readonly string[]; unread?: Unread },
): Promise<Claimed[]> {
  const claimed: DocumentRow[] = []
  const claims: Claimed[] = []
  while (claimed.length < limit) {
    const next = await tx.engine.claims.next(tx.sql, except, { mayWait: claimed.length === 0, unread })
    if (next === undefined) break
    const row = await tx.sql
      .updateTable('documents')
      .set((e) => ({ status: 'processing' as const, attempts: e('attempts', '+', 1), updated_at: now }))
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    claimed.push(row)
    claims.push({ documentId: row.id, ...(await tx.engine.claims.take(tx.sql, row.id)) })
    await tx.sql
      .updateTable('queue_turns')
      .set((e) => ({ turn: e.selectFrom('queue_turns').select(sql<number>`max(turn) + 1`.as('turn')) }))
      .where('owner_id', '=', row.owner_id)
      .execute()
  }
  await tx.announce('document.processing', claimed)
  return claims
}

/** How often a queued document may have been tried. */
const ATTEMPTS = Array.from({ length: 12 }, (_, attempts) => attempts)

/** Looks up the first document of each owner and number of attempts, so that the time does not grow with the queue. */
async function findOldest(db: Kysely<Tables>): Promise<Date | null> {
  const { rows } = await sql<{ oldest: number | null }>`select min(queued_at) as oldest from (
      select (select queued_at from documents
        where status = 'queued' and owner_id = queue_turns.owner_id and attempts = tried.value
        order by queued_at limit 1) as queued_at
      from queue_turns, ${numberRows(JSON.stringify(ATTEMPTS))} as tried where waiting > 0
      union all select queued_at from documents where status = 'processing') as unfinished`.execute(db)
  const oldest = rows[0]?.oldest ?? null
  return oldest === null ? null : new Date(Number(oldest))
}

/** Returns the row of a job, unless the job is no longer wanted. */
function findWanted(tx: WriteTransaction, job: JobRef): Promise<DocumentRow | undefined> {
  const { claims } = tx.engine
  return tx.sql
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', job.documentId)
    .where('version', '=', job.version)
    .where('status', '=', 'processing')
    .$if(claims.isShared, (query) => query.where(claims.isOf(job)).forUpdate())
    .executeTakeFirst()
}

function updateDocument(tx: WriteTransaction, id: string, change: Partial<DocumentRow>): Promise<DocumentRow> {
  return tx.sql.updateTable('documents').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function savePages(
  tx: WriteTransaction,
  { job, parsed, quotas, at }: { job: JobRef; parsed: ParsedPages; quotas: Quotas; at: Date },
): Promise<SavedPages | null> {
  const { attachments = [], isWhole = true, messages = [] } = parsed
  const changesAttachments = attachments.length > 0 || (await hasAttachments(tx.sql, job.documentId))
  // Attachments count towards the owner's quotas. Without attachments, the owner's other documents don't have to wait for this one.
  if (changesAttachments) await tx.engine.lockOwnersOf(tx.sql, [job.documentId])
  const row = await findWanted(tx, job)
  if (!row) return null
  const now = at.getTime()
  const refused = changesAttachments ? await saveAttachments(tx, row, { attachments, isWhole }, { at, quotas }) : []
  const skipped = [...(parsed.attachmentsSkipped ?? []), ...refused]
  const about = describeSkipped(skipped, parsed.attachmentsUnlisted)
  const facts = { ...parsed.facts, ...about.facts }
  const { tags, parse } = parseColumns(row, { ...parsed, facts })
  const title = givenTitle(row).given_title ?? storedTitle(parsed.title)
  await tx.sql.deleteFrom('pages').where('document_id', '=', job.documentId).execute()
  const pages = parsed.pages.map(({ number, text, ...page }) => {
    const blocks = JSON.stringify(page.blocks)
    return { document_id: job.documentId, number, text, blocks, checksum: pageChecksum({ text, blocks }) }
  })
  for (let i = 0; i < pages.length; i += PAGES_AT_ONCE) {
    const part = pages.slice(i, i + PAGES_AT_ONCE)
    await tx.sql.insertInto('pages').values(part).execute()
  }
  await saveMessages(tx, job.documentId, messages)
  const change = {
    title,
    page_count: parsed.pageCount,
    warnings: JSON.stringify([...parsed.warnings, ...about.warnings]),
    health: JSON.stringify(parsed.health),
    tags,
    parse,
    pages_version: job.version,
    // The document got through its parser: later attempts count from here.
    attempts: 1,
    updated_at: now,
  }
  await tx.sql.updateTable('documents').set(change).where('id', '=', job.documentId).execute()
  return { title, tags: JSON.parse(tags) as string[] }
}

async function beginIndexing(tx: WriteTransaction, jobs: readonly CutJob[], quotas: Quotas): ReturnType<Queue['beginIndexing']> {
  const wanted: JobRef[] = []
  const refused: { job: JobRef; error: DocsearchError }[] = []
  const ids = jobs.map(({ documentId }) => documentId)
  await tx.engine.lockOwnersOf(tx.sql, ids)
  for (const { passages, ...job } of jobs) {
    const row = await findWanted(tx, job)
    if (!row) continue
    const error = passagesRefusal(await readAllowance(tx.sql, row.owner_id, quotas), row.passages, passages)
    if (error !== null) {
      refused.push({ job, error })
      continue
    }
    wanted.push(job)
    if (row.indexed !== 1 || row.passages !== passages) await updateDocument(tx, row.id, { indexed: 1, passages })
  }
  return { wanted, refused }
}

async function finish(tx: WriteTransaction, now: number, results: readonly FinishedJob[]): Promise<JobRef[]> {
  const unwanted: JobRef[] = []
  const ready: DocumentRow[] = []
  const words: DocumentWords[] = []
  const ids = results.map(({ job }) => job.documentId)
  await tx.engine.lockOwnersOf(tx.sql, ids)
  for (const result of results) {
    const row = await findWanted(tx, result.job)
    if (!row) {
      unwanted.push(result.job)
      continue
    }
    words.push({ documentId: row.id, projectId: row.project_id, words: result.words ?? null })
    ready.push(await updateDocument(tx, row.id, readyColumns(row, result, now)))
  }
  // The new passages have just replaced those that the tombstone stood for.
  for (const ids of slices(ready.map((row) => row.id)))
    await tx.sql.deleteFrom('tombstones').where('document_id', 'in', ids).execute()
  await changeWords(tx.sql, words)
  await tx.announce('document.ready', ready)
  return unwanted
}

function readyColumns(row: DocumentRow, result: FinishedJob, now: number) {
  const { chunkCount, chunksSkipped, embeddingModel } = result
  const warnings = [...(JSON.parse(row.warnings) as DocumentWarning[]), ...result.warnings]
  return {
    status: 'ready' as const,
    ready_at: now,
    updated_at: now,
    chunk_count: chunkCount,
    embedding_model: embeddingModel,
    passages: chunkCount,
    health: JSON.stringify({ ...JSON.parse(row.health), chunksSkipped }),
    warnings: JSON.stringify(warnings),
    attempts: 0,
    indexed: chunkCount > 0 ? 1 : 0,
  }
}
