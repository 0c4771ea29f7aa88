import type { AuditDetails, AuditFact } from '../../core/audit.ts'
import { foldName } from '../../core/fold-name.ts'
import type { NewDocument } from '../documents.ts'
import { freshVersion } from './document-rows.ts'
import { indexQuotesOf } from './messages.ts'
import { slices, type WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'
import { changeWords } from './vocabulary.ts'

/** Deletes the rows. A tombstone for each stays until the index has dropped its passages. */
export async function removeDocuments(tx: WriteTransaction, rows: readonly DocumentRow[], now: number): Promise<void> {
  const documentIds = rows.map((row) => row.id)
  await addTombstones(tx, documentIds, now)
  const words = rows.map((row) => ({ documentId: row.id, projectId: row.project_id, words: null }))
  await changeWords(tx.sql, words)
  for (const ids of slices(documentIds)) await tx.sql.deleteFrom('documents').where('id', 'in', ids).execute()
  await indexQuotesOf(tx, documentIds, now)
  await tx.announce('document.deleted', rows)
}

/** Names a document in the audit log, as it is now. */
export function factAbout(
  { id, project_id, name, path }: Pick<DocumentRow, 'id' | 'project_id' | 'name' | 'path'>,
  details: AuditDetails = {},
): Pick<AuditFact, 'projectId' | 'document' | 'details'> {
  return { projectId: project_id, document: { id, name }, details: { ...(path !== name && { path }), ...details } }
}

/** Marks documents whose passages have to leave the index. */
export async function addTombstones(tx: WriteTransaction, ids: readonly string[], now: number): Promise<void> {
  const rows = ids.map((id) => ({ document_id: id, created_at: now }))
  for (const part of slices(rows, 2)) {
    await tx.sql
      .insertInto('tombstones')
      .values(part)
      .onConflict((c) => c.column('document_id').doNothing())
      .execute()
  }
}

export function newRow(id: string, document: NewDocument & { ownerId: string }, now: number): DocumentRow {
  return {
    ...freshVersion(now),
    id,
    owner_id: document.ownerId,
    project_id: document.projectId,
    path: document.path,
    ...contentColumns(document),
    tags: tagsColumn(document) ?? '[]',
    version: 1,
    created_at: now,
    pages_version: null,
    indexed: 0,
    passages: 0,
    parent_id: null,
    parent_page: null,
  }
}

/** Returns null when the upload named no tags. */
export function tagsColumn({ tags }: NewDocument): string | null {
  return tags === null ? null : JSON.stringify(tags)
}

/** The columns that depend on the bytes and not on the path. */
export function contentColumns(document: NewDocument) {
  return {
    name: document.name,
    name_folded: foldName(document.name),
    media_type: document.mediaType,
    size_bytes: document.sizeBytes,
    sha256: document.sha256,
    uploader_id: document.uploaderId,
  }
}

/**
 * Returns the parser's facts, and the tags: those that the user gave, or the file's own. The facts then name the file's tags too,
 * so that a later version can take them back.
 */
export function parseColumns(
  row: DocumentRow,
  { tags = [], facts }: { tags?: readonly string[]; facts: Record<string, unknown> },
): Pick<DocumentRow, 'tags' | 'parse'> {
  const own = givenTitle(row)
  // Another parser may have read the same version before: the tags that it took from the file were not given by the user.
  const given = givenTags(row)
  if (given !== '[]' || tags.length === 0) return { parse: JSON.stringify({ ...facts, ...own }), tags: given }
  return { parse: JSON.stringify({ ...facts, ...own, tags }), tags: JSON.stringify(tags) }
}

/** Returns the tags that the user gave: none, when the document has the tags of its file. */
export function givenTags({ tags, parse }: Pick<DocumentRow, 'tags' | 'parse'>): string {
  return tags === JSON.stringify((JSON.parse(parse) as { tags?: unknown }).tags) ? '[]' : tags
}

/** Returns the title that the user gave, as `parse` contains it; nothing when the document has the title of its file. */
export function givenTitle({ parse }: Pick<DocumentRow, 'parse'>): { given_title?: string } {
  const { given_title } = JSON.parse(parse) as { given_title?: string }
  return given_title === undefined ? {} : { given_title }
}

/** Queues the next version of a document. */
export async function queueNextVersion(
  tx: WriteTransaction,
  row: DocumentRow,
  now: number,
  change: Partial<DocumentRow> = {},
): Promise<DocumentRow> {
  const { given_title } = givenTitle(row)
  const own = given_title === undefined ? {} : { title: given_title, parse: JSON.stringify({ given_title }) }
  const updated = await tx.sql
    .updateTable('documents')
    .set({ ...freshVersion(now), ...own, tags: givenTags(row), ...change, version: row.version + 1 })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx.announce('document.queued', [updated])
  return updated
}
