import { sql, type Kysely } from 'kysely'
import type { DocumentHealth, DocumentRecord, DocumentStatus, DocumentWarning } from '../../core/model.ts'
import type { ProjectIds } from '../projects.ts'
import { NO_HEALTH } from '../rules.ts'
import { endsWith, perDialect } from './per-dialect.ts'
import { dateOrNull, type DocumentRow, type Tables, type TrashRow } from './tables.ts'
import { crc32 } from 'node:zlib'

/** The columns of a version that nobody has worked on yet. */
export function freshVersion(now: number) {
  return {
    status: 'queued' as const,
    updated_at: now,
    queued_at: now,
    not_before: null,
    attempts: 0,
    ready_at: null,
    page_count: null,
    chunk_count: null,
    embedding_model: null,
    error_code: null,
    error_message: null,
    warnings: '[]',
    health: JSON.stringify(NO_HEALTH),
    title: null,
    parse: '{}',
  }
}

/** Selects documents with the names of their projects. */
export function selectDocuments(db: Kysely<Tables>) {
  return db
    .selectFrom('documents')
    .innerJoin('projects', 'projects.id', 'documents.project_id')
    .selectAll('documents')
    .select('projects.name as project_name')
}

/** Selects names that contain a text. `%`, `_` and backslashes in the text have no special meaning. */
export function nameContains(part: string) {
  const pattern = `%${part.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
  return sql<boolean>`documents.name_folded like ${pattern} escape '\\'`
}

/** Selects paths that start with a text. A range instead of LIKE, which ignores letter case and can't use the index of paths. */
export function pathStartsWith(prefix: string) {
  const end = firstAfter(prefix)
  const isFrom = sql<boolean>`documents.path >= ${prefix}`
  return end === null ? isFrom : sql<boolean>`(${isFrom} and documents.path < ${end})`
}

export function idEndsWith(suffix: string) {
  return endsWith('documents.id', suffix)
}

/** Returns the first text after all that start with the prefix, in SQLite's order of code points; null when there is none. */
function firstAfter(prefix: string): string | null {
  const characters = [...prefix]
  while (characters.at(-1) === '\u{10ffff}') characters.pop()
  const last = characters.pop()?.codePointAt(0)
  if (last === undefined) return null
  // Surrogates are not characters of their own.
  return characters.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
}

/** Selects documents with this status, or with one of several. */
export function hasStatus(status: DocumentStatus | readonly DocumentStatus[]) {
  return typeof status === 'string'
    ? sql<boolean>`documents.status = ${status}`
    : sql<boolean>`documents.status in (${sql.join(status)})`
}

/** Selects documents that have at least one of these tags. */
export function hasOneOfTags(tags: readonly string[]) {
  // PostgreSQL's JSON functions fail for a list with U+0000. Within a text of the list, a quotation mark never follows a comma.
  const isThere = (tag: string) => sql`strpos(',' || substr(documents.tags, 2), ${`,${JSON.stringify(tag)}`}) > 0`
  return perDialect({
    sqlite: sql<boolean>`exists (select 1 from json_each(documents.tags) where value in (${sql.join(tags)}))`,
    postgres: sql<boolean>`(${sql.join(tags.map(isThere), sql` or `)})`,
  })
}

/** Selects documents of one of these types. */
export function hasOneOfTypes(mediaTypes: readonly string[]) {
  return sql<boolean>`documents.media_type in (${sql.join(mediaTypes)})`
}

/** Finds the document with this id, in one of the projects. */
export async function findRow(db: Kysely<Tables>, projects: ProjectIds, id: string): Promise<DocumentRow | undefined> {
  const row = await db.selectFrom('documents').selectAll().where('id', '=', id).executeTakeFirst()
  return row && projects.has(row.project_id) ? row : undefined
}

export function toDocument(row: Omit<TrashRow, 'trashed_at'> & { project_name: string }): DocumentRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    projectId: row.project_id,
    projectName: row.project_name,
    name: row.name,
    path: row.path,
    mediaType: row.media_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    status: row.status,
    version: row.version,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    readyAt: dateOrNull(row.ready_at),
    pageCount: row.page_count,
    chunkCount: row.chunk_count,
    embeddingModel: row.embedding_model,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    warnings: JSON.parse(row.warnings) as DocumentWarning[],
    health: JSON.parse(row.health) as DocumentHealth,
    title: row.title,
    tags: JSON.parse(row.tags) as string[],
    uploaderId: row.uploader_id,
    parentId: row.parent_id,
    parentPage: row.parent_page,
    parse: JSON.parse(row.parse) as Record<string, unknown>,
  }
}

/** Returns the checksum of a stored page, by which the doctor notices changed bits. */
export function pageChecksum({ text, blocks }: { text: string; blocks: string }): number {
  return crc32(blocks, crc32(text))
}
