import {
  Field,
  FixedSizeList,
  Float16,
  Int32,
  Int64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import type { Data, DataType } from 'apache-arrow'
import { foldName } from '../core/fold-name.ts'
import type { IndexedPassage } from './chunk-index.ts'

/**
 * Vectors are stored as 16-bit floats: a scan is 1.3 to 1.5 times as fast as with 32 bits, the table half the size, and the order of the
 * best 200 among 20,000 the same (vectors have length 1, so a component is off by at most 1/4096 of itself).
 */
const item = new Field('item', new Float16(), true)
const tag = new Field('item', new Utf8(), true)

const asIs = (text: string) => text

interface Column {
  name: string
  type: DataType
  field: keyof IndexedPassage
  /** Applied to a text before it is stored or compared with the column. */
  fold: (text: string) => string
  value: (passage: IndexedPassage) => unknown
}

/** A column that holds a field as it is, unless `change` says otherwise. */
function column(name: string, type: DataType, field: keyof IndexedPassage, change: Partial<Column> = {}): Column {
  return { name, type, field, fold: asIs, value: (passage) => passage[field], ...change }
}

const COLUMNS: Column[] = [
  column('id', new Utf8(), 'id'),
  column('document_id', new Utf8(), 'documentId'),
  column('version', new Int32(), 'version'),
  column('owner_id', new Utf8(), 'ownerId'),
  column('project_id', new Utf8(), 'projectId'),
  column('media_type', new Utf8(), 'mediaType'),
  column('name_folded', new Utf8(), 'name', { fold: foldName, value: (passage) => foldName(passage.name) }),
  column('path', new Utf8(), 'path'),
  column('tags', new List(tag), 'tags'),
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
  column('terms', new Utf8(), 'terms'),
]

/** Returns the column of a field. The vector's column is not among them. */
export function columnOf(field: Exclude<keyof IndexedPassage, 'vector'>): Pick<Column, 'name' | 'fold'> {
  return COLUMNS.find((column) => column.field === field)!
}

/** Returns the columns of the table. `vector` is null for a passage that could not be embedded. */
export function passageSchema(dimensions: number): Schema {
  const fields = COLUMNS.map((column) => new Field(column.name, column.type, false))
  return new Schema([...fields, new Field('vector', new FixedSizeList(dimensions, item), true)])
}

/** Returns passages as one Arrow table, ready to be committed. */
export function toArrow(passages: readonly IndexedPassage[], schema: Schema, dimensions: number): Table {
  const children = COLUMNS.map(({ type, value }) => {
    const values = passages.map(value)
    return type instanceof Utf8 ? textColumn(values as string[]) : vectorFromArray(values, type).data[0]!
  })
  children.push(vectorColumn(passages, dimensions))
  const data = makeData({ type: new Struct(schema.fields), length: passages.length, nullCount: 0, children })
  return new Table(schema, [new RecordBatch(schema, data)])
}

/** Writes all texts into one buffer. Arrow's builder makes a small buffer for each text, and texts are most of a commit. */
function textColumn(texts: readonly string[]): Data {
  const valueOffsets = new Int32Array(texts.length + 1)
  for (const [i, text] of texts.entries()) valueOffsets[i + 1] = valueOffsets[i]! + Buffer.byteLength(text)
  const data = Buffer.allocUnsafeSlow(valueOffsets[texts.length]!)
  for (const [i, text] of texts.entries()) data.write(text, valueOffsets[i]!)
  return makeData({ type: new Utf8(), length: texts.length, nullCount: 0, valueOffsets, data })
}

/** Fills the buffer directly, because arrays of numbers would take longer than the commit itself. */
function vectorColumn(passages: readonly IndexedPassage[], dimensions: number): Data {
  const values = new Uint16Array(passages.length * dimensions)
  const halves = new Float16Array(values.buffer)
  const nullBitmap = new Uint8Array(Math.ceil(passages.length / 8))
  let nullCount = 0
  for (const [i, { id, vector }] of passages.entries()) {
    if (vector === null) {
      nullCount++
      continue
    }
    if (vector.length !== dimensions)
      throw new RangeError(`The vector of ${id} has ${vector.length} dimensions instead of ${dimensions}`)
    halves.set(vector, i * dimensions)
    nullBitmap[i >> 3]! |= 1 << (i & 7)
  }
  const child = makeData({ type: new Float16(), length: values.length, data: values })
  return makeData({ type: new FixedSizeList(dimensions, item), length: passages.length, nullCount, nullBitmap, child })
}
