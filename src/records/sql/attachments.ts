import { sql, type Kysely } from 'kysely'
import { isDocsearchError } from '../../core/errors.ts'
import { foldName } from '../../core/fold-name.ts'
import { newId } from '../../core/ids.ts'
import type { Quotas } from '../../core/model.ts'
import type { SkippedAttachment } from '../../core/parsed.ts'
import { MAX_ATTACHMENT_DEPTH, MAX_ATTACHMENTS, type NewAttachment } from '../attachments.ts'
import { checkBytes, checkNewDocument } from '../quotas.ts'
import { numberedPath } from '../rules.ts'
import { newRow, queueNextVersion, removeDocuments } from './document-changes.ts'
import { textRows } from './per-dialect.ts'
import type { WriteTransaction } from './store.ts'
import type { DocumentRow, Tables, TrashRow } from './tables.ts'
import { readAllowance } from './counts.ts'

/** Selects the ids of all attachments of documents, and of messages among these attachments. */
function idsBelow(ids: readonly string[], table: 'documents' | 'trash') {
  return sql<string>`(with recursive below (id) as (
      select id from ${sql.table(table)} where parent_id in (select value from ${textRows(JSON.stringify(ids))} as ids)
      union select child.id from ${sql.table(table)} as child join below on child.parent_id = below.id)
    select id from below)`
}

export async function hasAttachments(db: Kysely<Tables>, id: string): Promise<boolean> {
  return (await db.selectFrom('documents').select('id').where('parent_id', '=', id).limit(1).executeTakeFirst()) !== undefined
}

/** Returns the attachments of documents, and the attachments of attached messages. */
export function attachmentsOf(db: Kysely<Tables>, ids: readonly string[]): Promise<DocumentRow[]> {
  return db.selectFrom('documents').selectAll().where('id', 'in', idsBelow(ids, 'documents')).orderBy('path').execute()
}

/** The same for documents in the trash. */
export function attachmentsInTrash(db: Kysely<Tables>, ids: readonly string[]): Promise<TrashRow[]> {
  return db.selectFrom('trash').selectAll().where('id', 'in', idsBelow(ids, 'trash')).orderBy('path').execute()
}

/** Returns the message at the top of a document, and in how many messages the document is. */
async function rootOf(db: Kysely<Tables>, row: DocumentRow): Promise<{ rootId: string; depth: number }> {
  let [rootId, parentId, depth] = [row.id, row.parent_id, 0]
  while (parentId !== null && depth <= MAX_ATTACHMENT_DEPTH) {
    rootId = parentId
    depth++
    const parent = await db.selectFrom('documents').select('parent_id').where('id', '=', parentId).executeTakeFirst()
    parentId = parent?.parent_id ?? null
  }
  return { rootId, depth }
}

/**
 * Makes the attachments of a message its documents: adds new ones, replaces changed ones, leaves equal ones as they are, and deletes those that the
 * message no longer has (unless it was not read to its end). Returns the attachments that did not become documents.
 */
export async function saveAttachments(
  tx: WriteTransaction,
  parent: DocumentRow,
  { attachments, isWhole }: { attachments: readonly NewAttachment[]; isWhole: boolean },
  { at, quotas }: { at: Date; quotas: Quotas },
): Promise<SkippedAttachment[]> {
  const now = at.getTime()
  const former = await tx.sql.selectFrom('documents').selectAll().where('parent_id', '=', parent.id).execute()
  const { rootId, depth } = await rootOf(tx.sql, parent)
  const others = (await attachmentsOf(tx.sql, [rootId])).length - (await attachmentsOf(tx.sql, [parent.id])).length
  const byPath = new Map(former.map((row) => [row.path, row]))
  const skipped: SkippedAttachment[] = []
  const used = new Set<string>()
  for (const attachment of attachments) {
    const { name, page } = attachment
    const code =
      depth >= MAX_ATTACHMENT_DEPTH ? 'too_deep' : others + used.size >= MAX_ATTACHMENTS ? 'too_many_attachments' : null
    if (code !== null) {
      skipped.push({ name, page, code })
      continue
    }
    const path = await freePath(tx, parent, name, used, byPath)
    const row = byPath.get(path)
    try {
      if (row === undefined) await add(tx, parent, { attachment, path, at, quotas })
      else await update(tx, row, { parent, attachment, now, quotas })
      used.add(path)
    } catch (error) {
      if (!isDocsearchError(error, 'quota_exceeded')) throw error
      // The document under the same name has the bytes of an earlier version, so it goes too.
      skipped.push({ name, page, code: error.code })
    }
  }
  const gone = former.filter(({ path }) => !used.has(path))
  if (isWhole && gone.length > 0) {
    const ids = gone.map(({ id }) => id)
    const below = await attachmentsOf(tx.sql, ids)
    await removeDocuments(tx, [...gone, ...below], now)
  }
  return skipped
}

/** Returns the path of an attachment: its name in the path of its message, with a number if another document has this path. */
async function freePath(
  tx: WriteTransaction,
  parent: DocumentRow,
  name: string,
  used: ReadonlySet<string>,
  own: ReadonlyMap<string, DocumentRow>,
): Promise<string> {
  const wanted = `${parent.path}/${name}`
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : numberedPath(wanted, number)
    if (used.has(path)) continue
    if (own.has(path)) return path
    const other = tx.sql.selectFrom('documents').select('id').where('project_id', '=', parent.project_id).where('path', '=', path)
    if ((await other.executeTakeFirst()) === undefined) return path
  }
}

async function add(
  tx: WriteTransaction,
  parent: DocumentRow,
  { attachment, path, at, quotas }: { attachment: NewAttachment; path: string; at: Date; quotas: Quotas },
): Promise<void> {
  checkNewDocument(await readAllowance(tx.sql, parent.owner_id, quotas), attachment.sizeBytes)
  const document = { ...attachment, path, ownerId: parent.owner_id, projectId: parent.project_id, uploaderId: '', tags: null }
  const row: DocumentRow = {
    ...newRow(newId('doc', at), document, at.getTime()),
    tags: parent.tags,
    uploader_id: parent.uploader_id,
    parent_id: parent.id,
    parent_page: attachment.page,
  }
  await tx.sql.insertInto('documents').values(row).execute()
  await tx.announce('document.queued', [row])
}

async function update(
  tx: WriteTransaction,
  row: DocumentRow,
  { parent, attachment, now, quotas }: { parent: DocumentRow; attachment: NewAttachment; now: number; quotas: Quotas },
): Promise<void> {
  const { name, page, mediaType, sizeBytes, sha256 } = attachment
  if (row.parent_page !== page)
    await tx.sql.updateTable('documents').set({ parent_page: page }).where('id', '=', row.id).execute()
  const isSame = row.sha256 === sha256
  // Like an upload of the same bytes, another attempt to read the message is one for its failed attachments too.
  if (isSame && row.tags === parent.tags && row.status !== 'failed') return
  if (!isSame) checkBytes(await readAllowance(tx.sql, row.owner_id, quotas), sizeBytes - row.size_bytes)
  const content = { name, name_folded: foldName(name), media_type: mediaType, size_bytes: sizeBytes, sha256 }
  await queueNextVersion(tx, row, now, { ...(!isSame && content), tags: parent.tags, uploader_id: parent.uploader_id })
}
