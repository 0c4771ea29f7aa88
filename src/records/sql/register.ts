import { newId } from '../../core/ids.ts'
import type { Documents, NewDocument, OnConflict, UploadOutcome } from '../documents.ts'
import { documentExists, projectNotFound } from '../errors.ts'
import { numberedPath } from '../rules.ts'
import { contentColumns, newRow, queueNextVersion, tagsColumn } from './document-changes.ts'
import { toDocument } from './document-rows.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'

type Registered = { row: DocumentRow; outcome: UploadOutcome }

/** Documents.register. */
export function createRegister(store: Store): Documents['register'] {
  const { clock, now } = store

  async function insert(tx: WriteTransaction, document: NewDocument): Promise<Registered> {
    const row = newRow(newId('doc', clock.now()), document, now())
    await tx.sql.insertInto('documents').values(row).execute()
    await tx.announce('document.queued', [row])
    return { row, outcome: 'created' }
  }

  async function registerSameBytes(tx: WriteTransaction, row: DocumentRow, tags = row.tags): Promise<Registered> {
    // A user who uploads a failed document again wants another try. The index stores tags with each passage, so new tags need a
    // new version.
    const hasNewTags = tags !== row.tags
    if (row.status !== 'failed' && !hasNewTags) return { row, outcome: 'unchanged' }
    return { row: await queueNextVersion(tx, row, now(), hasNewTags ? { tags } : {}), outcome: 'unchanged' }
  }

  async function register(tx: WriteTransaction, document: NewDocument, onConflict: OnConflict): Promise<Registered> {
    const existing = await findAtPath(tx, document)
    if (!existing) return insert(tx, document)
    const tags = tagsColumn(document)
    if (existing.sha256 === document.sha256)
      return registerSameBytes(tx, existing, onConflict === 'replace' && tags !== null ? tags : existing.tags)
    if (onConflict === 'error') throw documentExists(document.path, existing.id)
    if (onConflict === 'keep') return registerSecond(tx, document)
    const change = { ...contentColumns(document), ...(tags === null ? {} : { tags }) }
    return { row: await queueNextVersion(tx, existing, now(), change), outcome: 'replaced' }
  }

  /** Keeps the existing document and registers this one under the next free number. */
  async function registerSecond(tx: WriteTransaction, document: NewDocument): Promise<Registered> {
    for (let number = 2; ; number++) {
      const path = numberedPath(document.path, number)
      const existing = await findAtPath(tx, { ...document, path })
      if (!existing) return insert(tx, { ...document, path })
      if (existing.sha256 === document.sha256) return registerSameBytes(tx, existing)
    }
  }

  return async (document, onConflict) => {
    const { row, name, outcome } = await store.write(async (tx) => {
      const project = await requireProject(tx, document)
      return { ...(await register(tx, document, onConflict)), name: project.name }
    })
    return { document: toDocument({ ...row, project_name: name }), outcome }
  }
}

async function requireProject(tx: WriteTransaction, { ownerId, projectId }: NewDocument): Promise<{ name: string }> {
  const project = await tx.sql
    .selectFrom('projects')
    .select('name')
    .where('owner_id', '=', ownerId)
    .where('id', '=', projectId)
    .executeTakeFirst()
  if (project) return project
  throw projectNotFound()
}

function findAtPath(tx: WriteTransaction, { ownerId, projectId, path }: NewDocument): Promise<DocumentRow | undefined> {
  return tx.sql
    .selectFrom('documents')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('project_id', '=', projectId)
    .where('path', '=', path)
    .executeTakeFirst()
}
