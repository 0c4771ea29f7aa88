import { Binary, Field, FixedSizeList, Float16, Int32, Int64, List, Schema, Utf8 } from 'apache-arrow'
import type { DataType } from 'apache-arrow'
import { foldName } from '../../core/fold-name.ts'
import type { StoredPassage } from '../passage-table.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'

export interface Column {
  name: string
  type: DataType
  field: keyof StoredPassage
  /** Applied to a text before it is compared with the column. */
  fold: (text: string) => string
  value: (passage: StoredPassage) => unknown
}

/** Returns a column that holds the value of a field unchanged, unless `change` says otherwise. */
function column(name: string, type: DataType, field: keyof StoredPassage, change: Partial<Column> = {}): Column {
  return { name, type, field, fold: (text) => text, value: (passage) => passage[field], ...change }
}

/** The ID is not stored: it consists of the document's ID, the version and the index. */
export const COLUMNS: readonly Column[] = [
  column('document_id', new Utf8(), 'documentId'),
  column('version', new Int32(), 'version'),
  column('owner_id', new Utf8(), 'ownerId'),
  column('project_id', new Utf8(), 'projectId'),
  column('media_type', new Utf8(), 'mediaType'),
  column('name', new Utf8(), 'name'),
  column('path', new Utf8(), 'path'),
  column('tags', new List(new Field('item', new Utf8(), true)), 'tags'),
  // Milliseconds since 1970: as plain numbers, dates far from now neither overflow nor need a literal that SQL can read.
  column('document_created_at', new Int64(), 'documentCreatedAt', {
    value: (passage) => BigInt(passage.documentCreatedAt.getTime()),
  }),
  column('chunk_index', new Int32(), 'index'),
  column('page_start', new Int32(), 'pageStart'),
  column('page_end', new Int32(), 'pageEnd'),
  column('char_start', new Int32(), 'charStart'),
  column('char_end', new Int32(), 'charEnd'),
  column('heading', new Utf8(), 'heading'),
  column('title', new Utf8(), 'title'),
  column('text', new Utf8(), 'text'),
  column('gap', new Utf8(), 'gap'),
  column('context', new Utf8(), 'context'),
  column('text_hash', new Utf8(), 'textHash'),
]

/** The name of the document in the form that filters compare. */
const FOLDED_NAME = column('name_folded', new Utf8(), 'name', { fold: foldName, value: ({ name }) => foldName(name) })

export const TEXT_COLUMNS: readonly Column[] = [...COLUMNS, FOLDED_NAME]

/** Returns the column that filters compare with a field. */
export function filterColumn(field: keyof StoredPassage): Pick<Column, 'name' | 'fold'> {
  return field === 'name' ? FOLDED_NAME : COLUMNS.find((column) => column.field === field)!
}

/** The dense dimensions, as 16-bit floats. Null for a passage that could not be embedded. */
export const VECTOR = 'vector'
const HALF = new Field('item', new Float16(), true)

export function vectorType({ denseDimensions }: VectorLayout): FixedSizeList<Float16> {
  return new FixedSizeList(denseDimensions, HALF)
}

/** Returns the name of the column with the sparse dimensions (`sparse.ts`), or null when all are dense. The name has their number. */
export function sparseColumn({ dimensions, denseDimensions }: VectorLayout): string | null {
  return denseDimensions < dimensions ? `vector_sparse_${dimensions - denseDimensions}` : null
}

export function tableSchema(layout: VectorLayout): Schema {
  const fields = TEXT_COLUMNS.map(({ name, type }) => new Field(name, type, false))
  const sparse = sparseColumn(layout)
  return new Schema([
    ...fields,
    new Field(VECTOR, vectorType(layout), true),
    ...(sparse === null ? [] : [new Field(sparse, new Binary(), false)]),
  ])
}
