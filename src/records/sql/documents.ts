import { sql } from 'kysely'
import { foldName } from '../../core/fold-name.ts'
import type { DocumentRecord } from '../../core/model.ts'
import type { Block, Page } from '../../core/parsed.ts'
import type { DocumentQuery, Documents } from '../documents.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import type { ResultPage } from '../result-page.ts'
import { numberedPath } from '../rules.ts'
import { queueNextVersion, removeDocuments } from './document-changes.ts'
import { countPending } from './document-counts.ts'
import { createEdit } from './document-edits.ts'
import { findRow, hasTag, nameContains, pathStartsWith, selectDocuments, toDocument } from './document-rows.ts'
import { ReadCache } from '../../core/read-cache.ts'
import { createRegister, secondNumber } from './register.ts'
import { slices } from './store.ts'
import type { Store } from './store.ts'

/** Not a bound parameter: SQLite uses a partial index only for a condition that repeats the index's own. */
const hasWarnings = sql<boolean>`documents.warnings <> '[]'`

/**
 * The `+` keeps SQLite from using an index that begins with the owner, and then reading all documents of the owner, where a
 * narrower index serves.
 */
const ownerUnindexed = sql<string>`+documents.owner_id`

/** Documents and counts to keep in memory for searches. A document has about 2 kB. */
const MAX_DOCUMENTS = 1_000
const MAX_COUNTS = 200

export function createDocuments(store: Store): Documents {
  const { db, now, documentsVersion } = store
  const documents = new ReadCache<DocumentRecord>(documentsVersion, MAX_DOCUMENTS)
  const pending = new ReadCache<number>(documentsVersion, MAX_COUNTS)
  return {
    register: createRegister(store),
    get: (ownerId, id) => get(store, ownerId, id),
    async getMany(ownerId, ids) {
      const prefix = `${ownerId} `
      const keys = ids.map((id) => prefix + id)
      const found = await documents.getMany(keys, async (others) => {
        const read = await getMany(
          store,
          ownerId,
          others.map((key) => key.slice(prefix.length)),
        )
        return new Map(read.map((document) => [prefix + document.id, document]))
      })
      return new Map([...found.values()].map((document) => [document.id, document]))
    },
    atPaths: (ownerId, projectId, paths) => atPaths(store, ownerId, projectId, paths),
    async numberedCopy(ownerId, projectId, file) {
      const path = numberedPath(file.path, await secondNumber(db, { ...file, projectId }))
      return (await atPaths(store, ownerId, projectId, [path])).get(path) ?? null
    },
    list: (ownerId, query) => list(store, ownerId, query),
    async countPending(ownerId, projectIds) {
      if (projectIds?.length === 0) return 0
      const key = [ownerId, ...(projectIds ?? [])].join(' ')
      return (await pending.get(key, () => countPending(db, ownerId, projectIds)))!
    },
    edit: createEdit(store),
    async requeue(ownerId, id) {
      const queued = await store.write(async (tx) => {
        const row = await findRow(tx.sql, ownerId, id)
        return row ? await queueNextVersion(tx, row, now()) : null
      })
      return queued ? await get(store, ownerId, id) : null
    },
    delete: (ownerId, id) =>
      store.write(async (tx) => {
        const row = await findRow(tx.sql, ownerId, id)
        if (!row) return false
        await removeDocuments(tx, [row], now())
        return true
      }),
    pages: (ownerId, id) => pages(store, ownerId, id),
    async isBlobReferenced(sha256) {
      const row = await db.selectFrom('documents').select('id').where('sha256', '=', sha256).limit(1).executeTakeFirst()
      return row !== undefined
    },
  }
}

async function get({ db }: Store, ownerId: string, id: string): Promise<DocumentRecord | null> {
  const row = await selectDocuments(db)
    .where('documents.owner_id', '=', ownerId)
    .where('documents.id', '=', id)
    .executeTakeFirst()
  return row ? toDocument(row) : null
}

async function getMany({ db }: Store, ownerId: string, ids: readonly string[]): Promise<DocumentRecord[]> {
  const found: DocumentRecord[] = []
  for (const part of slices(ids)) {
    const rows = await selectDocuments(db).where(ownerUnindexed, '=', ownerId).where('documents.id', 'in', part).execute()
    found.push(...rows.map(toDocument))
  }
  return found
}

async function atPaths(
  { db }: Store,
  ownerId: string,
  projectId: string,
  paths: readonly string[],
): Promise<Map<string, DocumentRecord>> {
  const found = new Map<string, DocumentRecord>()
  for (const part of slices(paths)) {
    const rows = await selectDocuments(db)
      .where(ownerUnindexed, '=', ownerId)
      .where('documents.project_id', '=', projectId)
      .where('documents.path', 'in', part)
      .execute()
    for (const row of rows) found.set(row.path, toDocument(row))
  }
  return found
}

async function list({ db }: Store, ownerId: string, query: DocumentQuery): Promise<ResultPage<DocumentRecord>> {
  const { limit, cursor, projectId, status, warnings, name, sha256, pathPrefix, tag, mediaType } = query
  let select = selectDocuments(db).where(projectId === undefined ? 'documents.owner_id' : ownerUnindexed, '=', ownerId)
  if (projectId !== undefined) select = select.where('documents.project_id', '=', projectId)
  if (status !== undefined) select = select.where('documents.status', '=', status)
  if (warnings === true) select = select.where(hasWarnings)
  if (warnings === false) select = select.where('documents.warnings', '=', '[]')
  if (sha256 !== undefined) select = select.where('documents.sha256', '=', sha256)
  if (name !== undefined) select = select.where(nameContains(foldName(name)))
  if (pathPrefix !== undefined) select = select.where(pathStartsWith(pathPrefix))
  if (tag !== undefined) select = select.where(hasTag(tag))
  if (mediaType !== undefined) select = select.where('documents.media_type', '=', mediaType)
  if (cursor !== undefined) {
    const { value, id } = decodeCursor(cursor, 'number')
    select = select.where((e) => e(e.refTuple('documents.created_at', 'documents.id'), '<', e.tuple(value, id)))
  }
  const rows = await select
    .orderBy('documents.created_at', 'desc')
    .orderBy('documents.id', 'desc')
    .limit(limit + 1)
    .execute()
  return resultPage(rows, limit, (row) => ({ value: row.created_at, id: row.id }), toDocument)
}

async function pages({ db }: Store, ownerId: string, id: string): Promise<Page[] | null> {
  const row = await db
    .selectFrom('documents')
    .select('pages_version')
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || row.pages_version === null) return null
  const rows = await db.selectFrom('pages').selectAll().where('document_id', '=', id).orderBy('number').execute()
  return rows.map(({ number, text, blocks }) => ({ number, text, blocks: JSON.parse(blocks) as Block[] }))
}
