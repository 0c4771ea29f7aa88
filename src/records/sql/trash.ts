import { sql, type Kysely } from 'kysely'
import { isDocsearchError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { foldName } from '../../core/fold-name.ts'
import type { DocumentRecord, Quotas } from '../../core/model.ts'
import { isAttachment } from '../attachments.ts'
import type { DocumentQuery, Trash, TrashedDocument } from '../documents.ts'
import type { ProjectIds } from '../projects.ts'
import { checkNewDocument, NO_QUOTAS } from '../quotas.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import { attachmentsInTrash, attachmentsOf } from './attachments.ts'
import { factAbout, givenTags, givenTitle, removeDocuments } from './document-changes.ts'
import {
  freshVersion,
  hasStatus,
  hasOneOfTags,
  hasOneOfTypes,
  idEndsWith,
  nameContains,
  pathStartsWith,
  selectDocuments,
  toDocument,
} from './document-rows.ts'
import { isOneOf } from './project-ids.ts'
import { slices, type Store, type WriteTransaction } from './store.ts'
import type { DocumentRow, Tables, TrashRow } from './tables.ts'
import { readAllowance } from './counts.ts'

export function createTrash(store: Store): Trash {
  const { db, now } = store
  return {
    async get(projects, id) {
      const row = await selectTrash(db).where('documents.id', '=', id).executeTakeFirst()
      return row && projects.has(row.project_id) ? toTrashed(row) : null
    },
    async list(projects, query) {
      const rows = await matching(db, projects, query)
      return resultPage(rows, query.limit, (row) => ({ value: row.trashed_at, id: row.id }), toTrashed)
    },
    restore: async (projects, id, quotas = NO_QUOTAS) => {
      const restoration = await store.write(async (tx) => {
        const row = await findRow(tx, projects, id)
        if (row === undefined) return null
        if (row.parent_id !== null) throw isAttachment()
        const present = await atPathOf(tx, row)
        // Its bytes count already.
        if (present === undefined) checkNewDocument(await readAllowance(tx.sql, row.owner_id, quotas), 0)
        else await putInTrash(tx, [present, ...(await attachmentsOf(tx.sql, [present.id]))], now())
        const restored = await putBack(tx, row, now())
        const refusedIds = await putBackAttachments(tx, id, now(), quotas)
        const replacedId = present?.id ?? null
        await tx.record({
          action: 'document.restore',
          ...factAbout(restored, replacedId === null ? {} : { replaced: replacedId }),
        })
        return { replacedId, refusedIds }
      })
      const document = restoration && (await documentOf(db, id))
      return document && { ...restoration, document }
    },
    delete: (projects, id) =>
      store.write(async (tx) => {
        const row = await findRow(tx, projects, id)
        if (row === undefined) return false
        await tx.record({ action: 'document.delete', ...factAbout(row, { permanent: true }) })
        const attached = (await attachmentsInTrash(tx.sql, [id])).map((each) => each.id)
        for (const ids of slices([id, ...attached])) await tx.sql.deleteFrom('trash').where('id', 'in', ids).execute()
        return true
      }),
    // A transaction, because the bytes of the owners are counted too.
    purge: (before, limit) =>
      store.write(async ({ sql: tx }) => {
        const oldest = tx
          .selectFrom('trash')
          .select('id')
          .where('trashed_at', '<', before.getTime())
          .orderBy('trashed_at')
          .limit(limit)
        const gone = await tx.deleteFrom('trash').where('id', 'in', oldest).returning('id').execute()
        return gone.length
      }),
  }
}

/** Moves a row from the trash to the documents. */
async function putBack(tx: WriteTransaction, row: TrashRow, now: number): Promise<DocumentRow> {
  await tx.sql.deleteFrom('trash').where('id', '=', row.id).execute()
  // The index may still have passages of the document: the new version replaces them.
  await tx.sql.deleteFrom('tombstones').where('document_id', '=', row.id).execute()
  const restored = restoredRow(row, now)
  await tx.sql.insertInto('documents').values(restored).execute()
  await tx.announce('document.queued', [restored])
  return restored
}

/** Puts back the attachments of a message. Deletes those that exceed a quota, and returns their IDs. */
async function putBackAttachments(tx: WriteTransaction, id: string, now: number, quotas: Quotas): Promise<string[]> {
  const refusedIds: string[] = []
  for (const row of await attachmentsInTrash(tx.sql, [id])) {
    try {
      checkNewDocument(await readAllowance(tx.sql, row.owner_id, quotas), 0)
      await putBack(tx, row, now)
    } catch (error) {
      if (!isDocsearchError(error, 'quota_exceeded')) throw error
      await tx.sql.deleteFrom('trash').where('id', '=', row.id).execute()
      refusedIds.push(row.id)
    }
  }
  return refusedIds
}

/** Deletes documents and keeps them in the trash, under their ids. */
export async function putInTrash(tx: WriteTransaction, rows: readonly DocumentRow[], now: number): Promise<void> {
  await removeDocuments(tx, rows, now)
  for (const row of rows) await tx.sql.insertInto('trash').values(trashRow(row, now)).execute()
}

/** Keeps the present version of a document, which is about to be replaced, under an ID of its own. Returns that ID. */
export async function keepVersion(tx: WriteTransaction, row: DocumentRow, at: Date): Promise<string> {
  const id = newId('doc', at)
  await tx.sql
    .insertInto('trash')
    .values({ ...trashRow(row, at.getTime()), id })
    .execute()
  return id
}

function trashRow(row: DocumentRow, now: number): TrashRow {
  const { attempts: _0, queued_at: _1, not_before: _2, pages_version: _3, indexed: _4, passages: _5, ...kept } = row
  // A clock that is behind now and right later must not shorten the time in the trash.
  return { ...kept, trashed_at: Math.max(now, row.updated_at) }
}

/** Returns the row of a document that is read again from its original. Title and tags that a user gave stay. */
function restoredRow(row: TrashRow, now: number): DocumentRow {
  const { trashed_at: _, ...kept } = row
  const { given_title } = givenTitle(kept)
  const own = given_title === undefined ? {} : { title: given_title, parse: JSON.stringify({ given_title }) }
  const version = { ...freshVersion(now), ...own, version: kept.version + 1, tags: givenTags(kept) }
  return { ...kept, ...version, pages_version: null, indexed: 1, passages: 0 }
}

/** The trash has the columns of documents, so conditions about documents hold for it under their name. */
function selectTrash(db: Kysely<Tables>) {
  return db
    .selectFrom('trash as documents')
    .innerJoin('projects', 'projects.id', 'documents.project_id')
    .selectAll('documents')
    .select('projects.name as project_name')
}

function matching(db: Kysely<Tables>, projects: ProjectIds, query: DocumentQuery) {
  const { limit, cursor, status, warnings, name, sha256, pathPrefix, idSuffix, createdAfter, createdBefore, tags, mediaTypes } =
    query
  // Attachments come and go with their message.
  let rows = selectTrash(db).where(isOneOf('documents.project_id', projects)).where('documents.parent_id', 'is', null)
  if (status !== undefined) rows = rows.where(hasStatus(status))
  if (warnings !== undefined) rows = rows.where('documents.warnings', warnings ? '<>' : '=', '[]')
  if (sha256 !== undefined) rows = rows.where('documents.sha256', '=', sha256)
  if (mediaTypes !== undefined) rows = rows.where(hasOneOfTypes(mediaTypes))
  if (name !== undefined) rows = rows.where(nameContains(foldName(name)))
  if (pathPrefix !== undefined) rows = rows.where(pathStartsWith(pathPrefix))
  if (idSuffix !== undefined) rows = rows.where(idEndsWith(idSuffix))
  if (createdAfter !== undefined) rows = rows.where('documents.created_at', '>=', createdAfter.getTime())
  if (createdBefore !== undefined) rows = rows.where('documents.created_at', '<', createdBefore.getTime())
  if (tags !== undefined) rows = rows.where(hasOneOfTags(tags))
  if (cursor !== undefined) {
    const { value, id } = decodeCursor(cursor, 'number')
    rows = rows.where(sql<boolean>`(documents.trashed_at, documents.id) < (${value}, ${id})`)
  }
  return rows
    .orderBy('documents.trashed_at', 'desc')
    .orderBy('documents.id', 'desc')
    .limit(limit + 1)
    .execute()
}

function toTrashed(row: TrashRow & { project_name: string }): TrashedDocument {
  return { ...toDocument(row), trashedAt: new Date(row.trashed_at) }
}

async function findRow({ sql }: WriteTransaction, projects: ProjectIds, id: string): Promise<TrashRow | undefined> {
  const row = await sql.selectFrom('trash').selectAll().where('id', '=', id).executeTakeFirst()
  return row && projects.has(row.project_id) ? row : undefined
}

function atPathOf({ sql }: WriteTransaction, { project_id, path }: TrashRow): Promise<DocumentRow | undefined> {
  const atPath = sql.selectFrom('documents').selectAll().where('project_id', '=', project_id).where('path', '=', path)
  return atPath.executeTakeFirst()
}

async function documentOf(db: Kysely<Tables>, id: string): Promise<DocumentRecord | null> {
  const row = await selectDocuments(db).where('documents.id', '=', id).executeTakeFirst()
  return row === undefined ? null : toDocument(row)
}
