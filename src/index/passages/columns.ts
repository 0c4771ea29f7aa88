import type { Table } from '@lancedb/lancedb'
import type { DataType, FixedSizeList, Float16, Schema } from 'apache-arrow'
import { corrupt } from '../segments/failures.ts'
import type { StoredPassage } from '../../core/passage.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { createRequire } from 'node:module'

/** Arrow as LanceDB loads it. An `import` would load the 134 modules of the package a second time, as ES modules. */
export const arrow = createRequire(import.meta.url)('apache-arrow') as typeof import('apache-arrow')

export interface Column {
  name: string
  type: DataType
  field: keyof StoredPassage
  value: (passage: StoredPassage) => unknown
}

/** Returns a column that holds the value of a field unchanged, unless `change` says otherwise. */
function column(name: string, type: DataType, field: keyof StoredPassage, change: Partial<Column> = {}): Column {
  return { name, type, field, value: (passage) => passage[field], ...change }
}

/** The ID is not stored: it consists of the document's ID, the version and the index. */
export const COLUMNS: readonly Column[] = [
  column('document_id', new arrow.Utf8(), 'documentId'),
  column('version', new arrow.Int32(), 'version'),
  column('project_id', new arrow.Utf8(), 'projectId'),
  column('media_type', new arrow.Utf8(), 'mediaType'),
  column('name', new arrow.Utf8(), 'name'),
  column('path', new arrow.Utf8(), 'path'),
  column('tags', new arrow.List(new arrow.Field('item', new arrow.Utf8(), true)), 'tags'),
  // Milliseconds since 1970: as plain numbers, dates far from now neither overflow nor need a literal that SQL can read.
  column('document_created_at', new arrow.Int64(), 'documentCreatedAt', {
    value: (passage) => BigInt(passage.documentCreatedAt.getTime()),
  }),
  column('chunk_index', new arrow.Int32(), 'index'),
  column('page_start', new arrow.Int32(), 'pageStart'),
  column('page_end', new arrow.Int32(), 'pageEnd'),
  column('char_start', new arrow.Int32(), 'charStart'),
  column('char_end', new arrow.Int32(), 'charEnd'),
  column('heading', new arrow.Utf8(), 'heading'),
  column('title', new arrow.Utf8(), 'title'),
  column('text', new arrow.Utf8(), 'text'),
  column('gap', new arrow.Utf8(), 'gap'),
  column('context', new arrow.Utf8(), 'context'),
  column('text_hash', new arrow.Utf8(), 'textHash'),
]

/** Columns of earlier versions, which nothing reads any more. */
const UNREAD = ['owner_id', 'name_folded']

/** The dense dimensions, as 16-bit floats. Null for a passage that could not be embedded. */
export const VECTOR = 'vector'
const HALF = new arrow.Field('item', new arrow.Float16(), true)

export function vectorType({ denseDimensions }: VectorLayout): FixedSizeList<Float16> {
  return new arrow.FixedSizeList(denseDimensions, HALF)
}

/** Returns the name of the column with the sparse dimensions (`sparse.ts`), or null when all are dense. The name has their number. */
export function sparseColumn({ dimensions, denseDimensions }: VectorLayout): string | null {
  return denseDimensions < dimensions ? `vector_sparse_${dimensions - denseDimensions}` : null
}

export function tableSchema(layout: VectorLayout): Schema {
  const fields = COLUMNS.map(({ name, type }) => new arrow.Field(name, type, false))
  const sparse = sparseColumn(layout)
  return new arrow.Schema([
    ...fields,
    new arrow.Field(VECTOR, vectorType(layout), true),
    ...(sparse === null ? [] : [new arrow.Field(sparse, new arrow.Binary(), false)]),
  ])
}

/** Returns the columns that must be dropped from a table before rows can be added. Throws `index_corrupt` when the table has another layout. */
export async function unreadColumns(table: Pick<Table, 'schema'>, wanted: Schema): Promise<string[]> {
  const { fields } = await table.schema()
  const unread = fields.filter(({ name }) => UNREAD.includes(name))
  const read = fields.filter((field) => !unread.includes(field))
  if (read.map(String).join() !== wanted.fields.map(String).join())
    throw corrupt('The search index has another layout. It must be rebuilt from the documents.')
  return unread.map(({ name }) => name)
}
