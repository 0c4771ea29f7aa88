import { foldName } from '../../core/fold-name.ts'
import type { DocumentChange, Documents } from '../documents.ts'
import { pathTaken, projectNotFound } from '../errors.ts'
import { storedTitle } from '../rules.ts'
import { findRow, selectDocuments, toDocument } from './document-rows.ts'
import { isUniqueViolation } from './errors.ts'
import { reindexColumns } from './queue-recovery.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'
import { changeWords } from './vocabulary-changes.ts'

/** Documents.edit. */
export function createEdit({ db, write, now }: Store): Documents['edit'] {
  return async (ownerId, id, change, prepared) => {
    const isQueued = await write(async (tx) => {
      const row = await findRow(tx.sql, ownerId, id)
      if (!row) return null
      if (change.projectId !== undefined) await requireProject(tx, ownerId, change.projectId)
      const isPrepared = row.status === 'ready' && row.version === prepared?.version
      const isInWork = !isPrepared && (row.status === 'ready' || row.status === 'processing')
      // Readers of the index compare versions, so every change of an indexed document needs a new one.
      const { status, ...nextVersion } = reindexColumns(now())
      const progress = isInWork ? { ...nextVersion, status } : isPrepared ? pick(nextVersion) : {}
      const query = tx.sql
        .updateTable('documents')
        .set({ ...columnsOf(row, change), ...progress, updated_at: now() })
        .where('id', '=', id)
      const changed = await orPathTaken(change.path ?? row.path, () => query.returningAll().executeTakeFirstOrThrow())
      if (isPrepared) await changeWords(tx.sql, [{ documentId: id, ownerId: row.owner_id, words: prepared.words }])
      await tx.announce(isInWork ? 'document.queued' : `document.${row.status}`, [changed])
      return !isPrepared
    })
    if (isQueued === null) return null
    const row = await selectDocuments(db).where('documents.id', '=', id).executeTakeFirst()
    return row === undefined ? null : { document: toDocument(row), isPrepared: !isQueued }
  }
}

function pick({ version, pages_version }: Pick<ReturnType<typeof reindexColumns>, 'version' | 'pages_version'>) {
  return { version, pages_version }
}

function columnsOf(row: DocumentRow, { name, path, title, tags, projectId }: DocumentChange): Partial<DocumentRow> {
  return {
    ...(name !== undefined && { name, name_folded: foldName(name) }),
    ...(path !== undefined && { path }),
    ...(title !== undefined && {
      title: storedTitle(title),
      parse: JSON.stringify({ ...(JSON.parse(row.parse) as object), given_title: storedTitle(title) }),
    }),
    ...(tags !== undefined && { tags: JSON.stringify(tags) }),
    ...(projectId !== undefined && { project_id: projectId }),
  }
}

async function requireProject(tx: WriteTransaction, ownerId: string, id: string): Promise<void> {
  const found = await tx.sql
    .selectFrom('projects')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (found === undefined) throw projectNotFound()
}

async function orPathTaken<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw pathTaken(path, error)
  }
}
