import { sql, type Kysely } from 'kysely'
import { newId } from '../../core/ids.ts'
import type { Quotas } from '../../core/model.ts'
import { isAttachment } from '../attachments.ts'
import type { Documents, Keeping, NewDocument, OnConflict, UploadOutcome } from '../documents.ts'
import { documentExists, insufficientRole, projectNotFound } from '../errors.ts'
import { checkBytes, checkNewDocument, checkPassagesLeft, hasRoomFor, NO_QUOTAS } from '../quotas.ts'
import { aroundNumber, numberedPath } from '../rules.ts'
import { contentColumns, factAbout, newRow, queueNextVersion, tagsColumn } from './document-changes.ts'
import { toDocument } from './document-rows.ts'
import { indexQuotesOf } from './messages.ts'
import { SHARED, type Store, type WriteTransaction } from './store.ts'
import { keepVersion } from './trash.ts'
import type { DocumentRow, Tables } from './tables.ts'
import { readAllowance } from './counts.ts'

type OwnedDocument = NewDocument & { ownerId: string }
type Registered = { row: DocumentRow; outcome: UploadOutcome; trashedId?: string }
type Options = Keeping & { quotas: Quotas }

/** Documents.register. */
export function createRegister(store: Store): Documents['register'] {
  const { clock, now } = store

  async function insert(tx: WriteTransaction, document: OwnedDocument, quotas: Quotas): Promise<Registered> {
    checkNewDocument(await readAllowance(tx.sql, document.ownerId, quotas), document.sizeBytes)
    const row = newRow(newId('doc', clock.now()), document, now())
    await tx.sql.insertInto('documents').values(row).execute()
    await tx.announce('document.queued', [row])
    await tx.record({ action: 'document.upload', ...factAbout(row, { size_bytes: row.size_bytes }) })
    return { row, outcome: 'created' }
  }

  async function registerSameBytes(tx: WriteTransaction, row: DocumentRow, quotas: Quotas, tags = row.tags): Promise<Registered> {
    // A user who uploads a failed document again wants another try. The index stores tags with each passage, so new tags need a
    // new version.
    const hasNewTags = tags !== row.tags
    if (row.status !== 'failed' && !hasNewTags) return { row, outcome: 'unchanged' }
    // A failed document counts for no passages, so the next attempt needs room for at least one.
    if (row.status === 'failed') checkPassagesLeft(await readAllowance(tx.sql, row.owner_id, quotas))
    return { row: await queueNextVersion(tx, row, now(), hasNewTags ? { tags } : {}), outcome: 'unchanged' }
  }

  async function register(
    tx: WriteTransaction,
    document: OwnedDocument,
    onConflict: OnConflict,
    { quotas, isKept }: Options,
  ): Promise<Registered> {
    const existing = await findAtPath(tx, document)
    if (!existing) return insert(tx, document, quotas)
    if (existing.parent_id !== null) throw isAttachment()
    const tags = tagsColumn(document)
    if (existing.sha256 === document.sha256)
      return registerSameBytes(tx, existing, quotas, onConflict === 'replace' && tags !== null ? tags : existing.tags)
    if (onConflict === 'error') throw documentExists(document.path, existing.id)
    if (onConflict === 'keep') return registerSecond(tx, document, quotas)
    const allowance = await readAllowance(tx.sql, existing.owner_id, quotas)
    // Without room for both versions, the former one goes for good: a document may always become smaller.
    const keeps = isKept && hasRoomFor(allowance, document.sizeBytes)
    checkBytes(allowance, document.sizeBytes - (keeps ? 0 : existing.size_bytes))
    const trashedId = keeps ? await keepVersion(tx, existing, clock.now()) : undefined
    const change = { ...contentColumns(document), ...(tags === null ? {} : { tags }) }
    const renamed = document.name === existing.name ? {} : { name: document.name }
    await tx.record({ action: 'document.replace', ...factAbout(existing, { size_bytes: document.sizeBytes, ...renamed }) })
    const row = await queueNextVersion(tx, existing, now(), change)
    await indexQuotesOf(tx, [row.id], now())
    return { row, outcome: 'replaced', ...(trashedId !== undefined && { trashedId }) }
  }

  /** Keeps the existing document and registers this one under the next free number. */
  async function registerSecond(tx: WriteTransaction, document: OwnedDocument, quotas: Quotas): Promise<Registered> {
    const path = numberedPath(document.path, await secondNumber(tx.sql, document))
    const existing = await findAtPath(tx, { ...document, path })
    return existing ? registerSameBytes(tx, existing, quotas) : insert(tx, { ...document, path }, quotas)
  }

  return async (document, onConflict, quotas = NO_QUOTAS, { isKept } = { isKept: false }) => {
    const {
      row,
      name,
      outcome,
      trashedId = null,
    } = await store.write(async (tx) => {
      const { ownerId, name } = await requireProject(tx, document)
      await tx.engine.lockOwners(tx.sql, [ownerId])
      return { ...(await register(tx, { ...document, ownerId }, onConflict, { quotas, isKept })), name }
    }, SHARED)
    return { document: toDocument({ ...row, project_name: name }), outcome, trashedId }
  }
}

/** Returns a project that the uploader may write to. In the transaction, so that a member who was removed meanwhile adds nothing. */
async function requireProject(
  tx: WriteTransaction,
  { uploaderId, projectId }: NewDocument,
): Promise<{ ownerId: string; name: string }> {
  const roles = await tx.sql
    .selectFrom('project_members')
    .innerJoin('projects', 'projects.id', 'project_members.project_id')
    .select(['project_members.role', 'projects.owner_id', 'projects.name'])
    .where('projects.id', '=', projectId)
    .where((e) => e.or([e('user_id', '=', uploaderId), e('user_id', 'is', null)]))
    .execute()
  if (roles[0] === undefined) throw projectNotFound()
  if (roles.every(({ role }) => role === 'reader')) throw insufficientRole('writer')
  return { ownerId: roles[0].owner_id, name: roles[0].name }
}

/**
 * Returns the first number whose path is free or has the same bytes. Looks up all numbers with one statement, because a user may
 * have thousands of documents of one name, and other users wait for the transaction.
 */
export async function secondNumber(
  db: Kysely<Tables>,
  { projectId, path, sha256 }: Pick<NewDocument, 'projectId' | 'path' | 'sha256'>,
): Promise<number> {
  const { before, after } = aroundNumber(path)
  const { rows } = await sql<{ number: number }>`with recursive numbers (number) as (
      select 2 union all select number + 1 from numbers where exists (select 1 from documents
        where project_id = ${projectId} and path = ${before} || cast(number as text) || ${after} and sha256 <> ${sha256}))
    select max(number) as number from numbers`.execute(db)
  return rows[0]!.number
}

function findAtPath(tx: WriteTransaction, { projectId, path }: OwnedDocument): Promise<DocumentRow | undefined> {
  return tx.sql
    .selectFrom('documents')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('path', '=', path)
    .executeTakeFirst()
}
