import type { NewDocument } from '../documents.ts'
import { foldName } from '../../core/fold-name.ts'
import { fresh } from './document-rows.ts'
import { slices } from './store.ts'
import type { WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'
import { changeWords } from './vocabulary-changes.ts'

/** The rows go; a tombstone for each stays until the index has forgotten it. */
export async function removeDocuments(tx: WriteTransaction, rows: readonly DocumentRow[], now: number): Promise<void> {
  await bury(
    tx,
    rows.map((row) => row.id),
    now,
  )
  await changeWords(
    tx.sql,
    rows.map((row) => ({ documentId: row.id, ownerId: row.owner_id, counted: null })),
  )
  for (const ids of slices(rows.map((row) => row.id))) await tx.sql.deleteFrom('documents').where('id', 'in', ids).execute()
  await tx.announce('document.deleted', rows)
}

/** The index is to forget these documents. */
export async function bury(tx: WriteTransaction, ids: readonly string[], now: number): Promise<void> {
  const rows = ids.map((id) => ({ document_id: id, created_at: now }))
  for (const part of slices(rows, 2)) {
    await tx.sql
      .insertInto('tombstones')
      .values(part)
      .onConflict((c) => c.column('document_id').doNothing())
      .execute()
  }
}

export function newRow(id: string, document: NewDocument, now: number): DocumentRow {
  return {
    ...fresh(now),
    id,
    owner_id: document.ownerId,
    project_id: document.projectId,
    path: document.path,
    ...contentOf(document),
    tags: tagsOf(document) ?? '[]',
    version: 1,
    created_at: now,
    pages_version: null,
    indexed: 0,
  }
}

/** As the column has them; null where none were given. */
export function tagsOf({ tags }: NewDocument): string | null {
  return tags === null ? null : JSON.stringify(tags)
}

/**
 * Facts of the parser, and the file's own tags where the upload gave none. The facts name them, so that the next version of
 * the file can take them back.
 */
export function withTagsOfFile(
  row: DocumentRow,
  { tags = [], facts }: { tags?: readonly string[]; facts: Record<string, unknown> },
): Pick<DocumentRow, 'tags' | 'parse'> {
  // The same version is read a second time by another parser: what the first took from the file is not given.
  const given = givenTags(row)
  if (given !== '[]' || tags.length === 0) return { parse: JSON.stringify(facts), tags: given }
  return { parse: JSON.stringify({ ...facts, tags }), tags: JSON.stringify(tags) }
}

/** Tags without those that came from the file of the version before. */
function givenTags({ tags, parse }: DocumentRow): string {
  return tags === JSON.stringify((JSON.parse(parse) as { tags?: unknown }).tags) ? '[]' : tags
}

/** What belongs to the bytes and not to the place. */
export function contentOf(document: NewDocument) {
  return {
    name: document.name,
    name_folded: foldName(document.name),
    media_type: document.mediaType,
    size_bytes: document.sizeBytes,
    sha256: document.sha256,
  }
}

/** The next version of a document goes into the queue. */
export async function queueAnew(
  tx: WriteTransaction,
  row: DocumentRow,
  now: number,
  change: Partial<DocumentRow> = {},
): Promise<DocumentRow> {
  const updated = await tx.sql
    .updateTable('documents')
    .set({ ...fresh(now), tags: givenTags(row), ...change, version: row.version + 1 })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx.announce('document.queued', [updated])
  return updated
}
