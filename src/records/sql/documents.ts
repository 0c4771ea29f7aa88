import { sql, type RawBuilder } from 'kysely'
import { foldName } from '../../core/fold-name.ts'
import { DOCUMENT_SORTS, type DocumentRecord, type DocumentSort } from '../../core/model.ts'
import type { Block, Page } from '../../core/parsed.ts'
import type { DocumentQuery, Documents } from '../documents.ts'
import type { ProjectIds } from '../projects.ts'
import { decodeCursor, resultPage, type ResultPage } from '../result-page.ts'
import { numberedPath } from '../rules.ts'
import { attachmentsOf } from './attachments.ts'
import { factAbout, queueNextVersion, removeDocuments } from './document-changes.ts'
import { pendingByProject } from './counts.ts'
import { createEdit } from './document-edits.ts'
import {
  findRow,
  hasStatus,
  hasOneOfTags,
  hasOneOfTypes,
  idEndsWith,
  nameContains,
  pathStartsWith,
  selectDocuments,
  toDocument,
} from './document-rows.ts'
import { ReadCache } from '../../core/read-cache.ts'
import { equals, joinNext } from './per-dialect.ts'
import { idRows } from './project-ids.ts'
import { createRegister, secondNumber } from './register.ts'
import { putInTrash } from './trash.ts'
import { slices, type Store } from './store.ts'
import type { DocumentRow } from './tables.ts'

/** Not a bound parameter: SQLite uses a partial index only for a condition that repeats the index's own. */
const hasWarnings = sql<boolean>`documents.warnings <> '[]'`

/** Documents to keep in memory for searches. A document has about 2 kB. */
const MAX_DOCUMENTS = 1_000

export function createDocuments(store: Store): Documents {
  const { db, now, documentsVersion } = store
  const documents = new ReadCache<DocumentRecord>(documentsVersion, MAX_DOCUMENTS)
  const pending = new ReadCache<ReadonlyMap<string, number>>(documentsVersion, 1)
  return {
    register: createRegister(store),
    get: (projects, id) => get(store, projects, id),
    async getMany(projects, ids) {
      const found = await documents.getMany(ids, async (others) => {
        const read = await getMany(store, others)
        return new Map(read.map((document) => [document.id, document]))
      })
      return new Map([...found].filter(([, { projectId }]) => projects.has(projectId)))
    },
    atPaths: (projectId, paths) => atPaths(store, projectId, paths),
    async numberedCopy(projectId, file) {
      const path = numberedPath(file.path, await secondNumber(db, { ...file, projectId }))
      return (await atPaths(store, projectId, [path])).get(path) ?? null
    },
    list: (projects, query) => list(store, projects, query),
    async countPending(projects) {
      const counts = (await pending.get('all', () => pendingByProject(db)))!
      let sum = 0
      for (const [projectId, count] of counts) if (projects.has(projectId)) sum += count
      return sum
    },
    edit: createEdit(store),
    async requeue(projects, id) {
      const queued = await store.write(async (tx) => {
        const row = await findRow(tx.sql, projects, id)
        if (!row) return null
        await tx.record({ action: 'document.reprocess', ...factAbout(row) })
        return queueNextVersion(tx, row, now())
      })
      return queued ? await get(store, projects, id) : null
    },
    delete: (projects, id, { isKept } = { isKept: false }) =>
      store.write(async (tx) => {
        const row = await findRow(tx.sql, projects, id)
        if (!row) return false
        await tx.record({ action: 'document.delete', ...factAbout(row, isKept ? {} : { permanent: true }) })
        const all = [row, ...(await attachmentsOf(tx.sql, [id]))]
        if (isKept) await putInTrash(tx, all, now())
        else await removeDocuments(tx, all, now())
        return true
      }),
    async attachments(projects, ids) {
      const rows = await attachmentsOf(db, ids)
      const found = await getMany(
        store,
        rows.map(({ id }) => id),
      )
      return found.filter(({ projectId }) => projects.has(projectId)).toSorted((a, b) => (a.path < b.path ? -1 : 1))
    },
    pages: (projects, id) => pages(store, projects, id),
    async isBlobReferenced(sha256) {
      // Between two statements, another process could restore a document from the trash, and neither statement would find it.
      const { rows } = await sql`select 1 where exists (select 1 from documents where sha256 = ${sha256})
        or exists (select 1 from trash where sha256 = ${sha256})`.execute(db)
      return rows.length > 0
    },
  }
}

async function get({ db }: Store, projects: ProjectIds, id: string): Promise<DocumentRecord | null> {
  const row = await selectDocuments(db).where('documents.id', '=', id).executeTakeFirst()
  return row && projects.has(row.project_id) ? toDocument(row) : null
}

async function getMany({ db }: Store, ids: readonly string[]): Promise<DocumentRecord[]> {
  const found: DocumentRecord[] = []
  for (const part of slices(ids)) {
    const rows = await selectDocuments(db).where('documents.id', 'in', part).execute()
    found.push(...rows.map(toDocument))
  }
  return found
}

async function atPaths({ db }: Store, projectId: string, paths: readonly string[]): Promise<Map<string, DocumentRecord>> {
  const found = new Map<string, DocumentRecord>()
  for (const part of slices(paths)) {
    const rows = await selectDocuments(db)
      .where('documents.project_id', '=', projectId)
      .where('documents.path', 'in', part)
      .execute()
    for (const row of rows) found.set(row.path, toDocument(row))
  }
  return found
}

/** The columns of the sorts, which have indexes. */
const SORT_COLUMNS: Readonly<Record<DocumentSort, { of(table: string): RawBuilder<unknown>; kind: 'number' | 'string' }>> = {
  newest: { of: (table) => sql.ref(`${table}.created_at`), kind: 'number' },
  name: { of: (table) => sql.ref(`${table}.name_folded`), kind: 'string' },
  size: { of: (table) => sql.ref(`${table}.size_bytes`), kind: 'number' },
  pages: { of: (table) => sql`coalesce(${sql.ref(`${table}.page_count`)}, 0)`, kind: 'number' },
  status: { of: (table) => sql.ref(`${table}.status`), kind: 'string' },
}

/** How a query sorts documents. Documents with equal values follow their ids. */
function sortingOf({ sort = 'newest', order = DOCUMENT_SORTS[sort] }: DocumentQuery) {
  const { of, kind } = SORT_COLUMNS[sort]
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return {
    by: (table: string) => sql`${of(table)} ${direction}, ${sql.ref(`${table}.id`)} ${direction}`,
    isAfter(cursor: string) {
      const { value, id } = kind === 'number' ? decodeCursor(cursor, kind) : decodeCursor(cursor, kind)
      return order === 'asc'
        ? sql`(${of('documents')}, documents.id) > (${value}, ${id})`
        : sql`(${of('documents')}, documents.id) < (${value}, ${id})`
    },
    positionOf(row: DocumentRow) {
      const values = {
        newest: row.created_at,
        name: row.name_folded,
        size: row.size_bytes,
        pages: row.page_count ?? 0,
        status: row.status,
      }
      return { value: values[sort], id: row.id }
    },
  }
}

async function list({ db }: Store, projects: ProjectIds, query: DocumentQuery): Promise<ResultPage<DocumentRecord>> {
  const { limit } = query
  const [only] = projects
  const isWanted =
    projects.size === 1
      ? sql<boolean>`documents.project_id = ${only} and ${matches(query)}`
      : sql<boolean>`documents.id in (${firstInEach(projects, query)})`
  const { by, positionOf } = sortingOf(query)
  const rows = await selectDocuments(db)
    .where(isWanted)
    .orderBy(by('documents'))
    .limit(limit + 1)
    .execute()
  return resultPage(rows, limit, positionOf, toDocument)
}

/** Selects the ids of the first matching documents of a project. */
function firstIn(project: RawBuilder<unknown>, query: DocumentQuery, count: number): RawBuilder<string> {
  return sql<string>`select documents.id from documents where documents.project_id = ${project} and ${matches(query)}
    order by ${sortingOf(query).by('documents')} limit ${count}`
}

/**
 * Selects the ids of the first matching documents of several projects, and of some more. The first documents are in the projects whose
 * first document comes first. So this reads one document of each project, and a result page of documents of some projects.
 */
function firstInEach(projects: ProjectIds, query: DocumentQuery): RawBuilder<string> {
  const count = query.limit + 1
  return sql<string>`select each.id from (
      select head.project_id from ${idRows(projects)} as project
        ${joinNext} documents as head on head.id = (${firstIn(sql.ref('project.value'), query, 1)})
      order by ${sortingOf(query).by('head')} limit ${count}) as first
    ${joinNext} documents as each on each.id in (${firstIn(sql.ref('first.project_id'), query, count)})`
}

/** For a `where`: a document matches the query and comes after its cursor. */
function matches(query: DocumentQuery): RawBuilder<boolean> {
  const {
    cursor,
    status,
    warnings,
    name,
    sha256,
    pathPrefix,
    idSuffix,
    createdAfter,
    createdBefore,
    tags,
    mediaTypes,
    parentId,
  } = query
  const conditions = [sql`true`]
  if (status !== undefined) conditions.push(hasStatus(status))
  if (warnings === true) conditions.push(hasWarnings)
  if (warnings === false) conditions.push(sql`documents.warnings = '[]'`)
  if (sha256 !== undefined) conditions.push(sql`documents.sha256 = ${sha256}`)
  if (name !== undefined) conditions.push(nameContains(foldName(name)))
  if (pathPrefix !== undefined) conditions.push(pathStartsWith(pathPrefix))
  if (idSuffix !== undefined) conditions.push(idEndsWith(idSuffix))
  if (createdAfter !== undefined) conditions.push(sql`documents.created_at >= ${createdAfter.getTime()}`)
  if (createdBefore !== undefined) conditions.push(sql`documents.created_at < ${createdBefore.getTime()}`)
  if (tags !== undefined) conditions.push(hasOneOfTags(tags))
  if (mediaTypes !== undefined) conditions.push(hasOneOfTypes(mediaTypes))
  if (parentId !== undefined) conditions.push(equals('documents.parent_id', parentId))
  if (cursor !== undefined) conditions.push(sortingOf(query).isAfter(cursor))
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

async function pages({ db }: Store, projects: ProjectIds, id: string): Promise<Page[] | null> {
  const row = await findRow(db, projects, id)
  if (!row || row.pages_version === null) return null
  const rows = await db.selectFrom('pages').selectAll().where('document_id', '=', id).orderBy('number').execute()
  return rows.map(({ number, text, blocks }) => ({ number, text, blocks: JSON.parse(blocks) as Block[] }))
}
