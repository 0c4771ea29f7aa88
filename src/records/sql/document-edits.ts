import { foldName } from '../../core/fold-name.ts'
import type { DocumentChange, Documents } from '../documents.ts'
import { pathTaken, projectNotFound } from '../errors.ts'
import type { Quotas } from '../../core/model.ts'
import { checkNewDocument, NO_QUOTAS, passagesRefusal } from '../quotas.ts'
import { storedTitle } from '../rules.ts'
import { attachmentsOf } from './attachments.ts'
import { factAbout } from './document-changes.ts'
import { findRow, selectDocuments, toDocument } from './document-rows.ts'
import { isUniqueViolation } from './errors.ts'
import { indexQuotesOf } from './messages.ts'
import { reindexColumns } from './queue-recovery.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'
import { readAllowance } from './counts.ts'
import { changeWords } from './vocabulary.ts'

/** Documents.edit. */
export function createEdit({ db, write, now }: Store): Documents['edit'] {
  return async (projects, id, change, prepared, quotas = NO_QUOTAS) => {
    const isQueued = await write(async (tx) => {
      const row = await findRow(tx.sql, projects, id)
      if (!row) return null
      const move =
        change.projectId === undefined || change.projectId === row.project_id
          ? {}
          : await moveTo(tx, row, change.projectId, quotas)
      const isPrepared = row.status === 'ready' && row.version === prepared?.version
      const isRequeued = !isPrepared && (row.status === 'ready' || row.status === 'processing')
      // Readers of the index compare versions, so every change of an indexed document needs a new one.
      const { status, ...nextVersion } = reindexColumns(now())
      const progress = isRequeued ? { ...nextVersion, status } : isPrepared ? pick(nextVersion) : {}
      const query = tx.sql
        .updateTable('documents')
        .set({ ...columnsOf(row, change), ...move, ...progress, updated_at: now() })
        .where('id', '=', id)
      await recordEdit(tx, row, change)
      const changed = await orPathTaken(change.path ?? row.path, () => query.returningAll().executeTakeFirstOrThrow())
      if (changed.project_id !== row.project_id)
        await tx.record({ action: 'document.update', ...factAbout(changed, { moved: 'here' }) })
      await editAttachments(tx, changed, row, { now: now(), quotas })
      if (isPrepared) await changeWords(tx.sql, [{ documentId: id, projectId: changed.project_id, words: prepared.words }])
      await tx.announce(isRequeued ? 'document.queued' : `document.${row.status}`, [changed])
      return !isPrepared
    })
    if (isQueued === null) return null
    const row = await selectDocuments(db).where('documents.id', '=', id).executeTakeFirst()
    return row === undefined ? null : { document: toDocument(row), isPrepared: !isQueued }
  }
}

/**
 * Records what changes, in the project that the document is in before. If the document moves, the event doesn't have its new name and path:
 * they belong to the other project, and managers of this one may not see that.
 */
async function recordEdit(tx: WriteTransaction, row: DocumentRow, { projectId, ...change }: DocumentChange): Promise<void> {
  if (projectId !== undefined && projectId !== row.project_id) {
    await tx.record({ action: 'document.update', ...factAbout(row, { moved: 'away' }) })
    return
  }
  const { name, path, title, tags } = columnsOf(row, change)
  const columns = { name, path, title, tags }
  const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter(
    (column) => columns[column] !== undefined && columns[column] !== row[column],
  )
  if (changed.length === 0) return
  const details = {
    changed,
    ...(changed.includes('name') && { name: name ?? null }),
    ...(changed.includes('path') && { new_path: path ?? null }),
  }
  await tx.record({ action: 'document.update', ...factAbout(row, details) })
}

function pick({ version, pages_version }: Pick<ReturnType<typeof reindexColumns>, 'version' | 'pages_version'>) {
  return { version, pages_version }
}

function columnsOf(row: DocumentRow, { name, path, title, tags }: DocumentChange): Partial<DocumentRow> {
  return {
    ...(name !== undefined && { name, name_folded: foldName(name) }),
    ...(path !== undefined && { path }),
    ...(title !== undefined && {
      title: storedTitle(title),
      parse: JSON.stringify({ ...(JSON.parse(row.parse) as object), given_title: storedTitle(title) }),
    }),
    ...(tags !== undefined && { tags: JSON.stringify(tags) }),
  }
}

/**
 * Returns the columns for another project. The document leaves the vocabulary of its former project, and the members of that project hear of
 * its deletion.
 */
async function moveTo(
  tx: WriteTransaction,
  row: DocumentRow,
  projectId: string,
  quotas: Quotas,
): Promise<Pick<DocumentRow, 'project_id' | 'owner_id'>> {
  const project = await tx.sql.selectFrom('projects').select('owner_id').where('id', '=', projectId).executeTakeFirst()
  if (project === undefined) throw projectNotFound()
  const { owner_id } = project
  if (owner_id !== row.owner_id) {
    const allowance = await readAllowance(tx.sql, owner_id, quotas)
    checkNewDocument(allowance, row.size_bytes)
    const refusal = passagesRefusal(allowance, 0, row.passages)
    if (refusal !== null) throw refusal
  }
  await changeWords(tx.sql, [{ documentId: row.id, projectId: row.project_id, words: null }])
  await tx.announce('document.deleted', [row])
  return { project_id: projectId, owner_id }
}

/** Attachments follow their message: into its path and project, and they have its tags. They are indexed again with the pages that are stored. */
async function editAttachments(
  tx: WriteTransaction,
  message: DocumentRow,
  former: DocumentRow,
  { now, quotas }: { now: number; quotas: Quotas },
): Promise<void> {
  const { path, project_id, tags } = message
  const hasMoved = project_id !== former.project_id
  if (hasMoved) await indexQuotesOf(tx, [message.id], now)
  if (!hasMoved && path === former.path && tags === former.tags) return
  for (const row of await attachmentsOf(tx.sql, [message.id])) {
    const move = hasMoved ? await moveTo(tx, row, project_id, quotas) : {}
    if (hasMoved) await indexQuotesOf(tx, [row.id], now)
    const { status, ...nextVersion } = reindexColumns(now)
    const isRequeued = row.status === 'ready' || row.status === 'processing'
    const follow = { path: path + row.path.slice(former.path.length), tags, ...move, updated_at: now }
    const query = tx.sql
      .updateTable('documents')
      .set({ ...follow, ...(isRequeued && { ...nextVersion, status }) })
      .where('id', '=', row.id)
    const changed = await orPathTaken(follow.path, () => query.returningAll().executeTakeFirstOrThrow())
    await tx.announce(isRequeued ? 'document.queued' : `document.${row.status}`, [changed])
  }
}

async function orPathTaken<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw pathTaken(path, error)
  }
}
