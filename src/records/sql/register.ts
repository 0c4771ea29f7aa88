import { documentExists, projectNotFound } from '../errors.ts'
import { numberedPath } from '../rules.ts'
import { newId } from '../../core/ids.ts'
import type { Documents, NewDocument, OnConflict, UploadOutcome } from '../documents.ts'
import { contentOf, newRow, queueAnew, tagsOf } from './document-changes.ts'
import { toDocument } from './document-rows.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { DocumentRow } from './tables.ts'

type Registered = { row: DocumentRow; outcome: UploadOutcome }

/** Documents.register: an upload becomes a document, a further version of one, or turns out to be there already. */
export function createRegister(store: Store): Documents['register'] {
  const { clock, now } = store

  async function insert(tx: WriteTransaction, document: NewDocument): Promise<Registered> {
    const row = newRow(newId('doc', clock.now()), document, now())
    await tx.sql.insertInto('documents').values(row).execute()
    await tx.announce('document.queued', [row])
    return { row, outcome: 'created' }
  }

  async function unchanged(tx: WriteTransaction, row: DocumentRow, tags = row.tags): Promise<Registered> {
    // Whoever sends the same bytes again after a failure wants another try. Tags are a column of the index: only a further version has others.
    const isToDo = row.status === 'failed' || tags !== row.tags
    const change = tags === row.tags ? {} : { tags }
    return { row: isToDo ? await queueAnew(tx, row, now(), change) : row, outcome: 'unchanged' }
  }

  async function register(tx: WriteTransaction, document: NewDocument, onConflict: OnConflict): Promise<Registered> {
    const there = await atPath(tx, document)
    if (!there) return insert(tx, document)
    const tags = tagsOf(document)
    if (there.sha256 === document.sha256)
      return unchanged(tx, there, onConflict === 'replace' && tags !== null ? tags : there.tags)
    if (onConflict === 'error') throw documentExists(document.path, there.id)
    if (onConflict === 'keep') return keepBoth(tx, document)
    return {
      row: await queueAnew(tx, there, now(), { ...contentOf(document), ...(tags === null ? {} : { tags }) }),
      outcome: 'replaced',
    }
  }

  async function keepBoth(tx: WriteTransaction, document: NewDocument): Promise<Registered> {
    for (let count = 2; ; count++) {
      const path = numberedPath(document.path, count)
      const there = await atPath(tx, { ...document, path })
      if (!there) return insert(tx, { ...document, path })
      if (there.sha256 === document.sha256) return unchanged(tx, there)
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

function atPath(tx: WriteTransaction, { ownerId, projectId, path }: NewDocument): Promise<DocumentRow | undefined> {
  return tx.sql
    .selectFrom('documents')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('project_id', '=', projectId)
    .where('path', '=', path)
    .executeTakeFirst()
}
