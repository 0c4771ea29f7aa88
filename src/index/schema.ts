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
import type { IndexedChunk } from './chunk-index.ts'

/**
 * Vectors are kept as 16-bit floats: a flat scan is 1.3 to 1.5 times as fast as over 32 bits, the table half the size, and the order of the
 * best 200 of 20,000 the same (vectors have length 1, so a component is off by 1/4096 of itself at most).
 */
const item = new Field('item', new Float16(), true)
const tag = new Field('item', new Utf8(), true)

const asIs = (text: string) => text

interface Column {
  name: string
  type: DataType
  field: keyof IndexedChunk
  /** Applied to a text before it is stored or compared with the column. */
  fold: (text: string) => string
  value: (chunk: IndexedChunk) => unknown
}

/** A column that holds a field as it is, unless `change` says otherwise. */
function column(name: string, type: DataType, field: keyof IndexedChunk, change: Partial<Column> = {}): Column {
  return { name, type, field, fold: asIs, value: (chunk) => chunk[field], ...change }
}

const COLUMNS: Column[] = [
  column('id', new Utf8(), 'id'),
  column('document_id', new Utf8(), 'documentId'),
  column('version', new Int32(), 'version'),
  column('owner_id', new Utf8(), 'ownerId'),
  column('project_id', new Utf8(), 'projectId'),
  column('media_type', new Utf8(), 'mediaType'),
  column('name_folded', new Utf8(), 'name', { fold: foldName, value: (chunk) => foldName(chunk.name) }),
  column('path', new Utf8(), 'path'),
  column('tags', new List(tag), 'tags'),
  // Milliseconds since 1970: as plain numbers, dates far from now neither overflow nor need a literal that SQL can read.
  column('document_created_at', new Int64(), 'documentCreatedAt', {
    value: (chunk) => BigInt(chunk.documentCreatedAt.getTime()),
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
export function columnOf(field: Exclude<keyof IndexedChunk, 'vector'>): Pick<Column, 'name' | 'fold'> {
  return COLUMNS.find((column) => column.field === field)!
}

/** Columns of the table, in order; `vector` is null for a chunk that could not be embedded. */
export function chunkSchema(dimensions: number): Schema {
  const fields = COLUMNS.map((column) => new Field(column.name, column.type, false))
  return new Schema([...fields, new Field('vector', new FixedSizeList(dimensions, item), true)])
}

/** Chunks as one Arrow table, ready to be committed. */
export function toArrow(chunks: readonly IndexedChunk[], schema: Schema, dimensions: number): Table {
  const children = COLUMNS.map(({ type, value }) => {
    const values = chunks.map(value)
    return type instanceof Utf8 ? textColumn(values as string[]) : vectorFromArray(values, type).data[0]!
  })
  children.push(vectorColumn(chunks, dimensions))
  const data = makeData({ type: new Struct(schema.fields), length: chunks.length, nullCount: 0, children })
  return new Table(schema, [new RecordBatch(schema, data)])
}

/** Written into one buffer: arrow's builder makes a small one for each text, and the texts are most of what is committed. */
function textColumn(texts: readonly string[]): Data {
  const valueOffsets = new Int32Array(texts.length + 1)
  for (const [i, text] of texts.entries()) valueOffsets[i + 1] = valueOffsets[i]! + Buffer.byteLength(text)
  const data = Buffer.allocUnsafeSlow(valueOffsets[texts.length]!)
  for (const [i, text] of texts.entries()) data.write(text, valueOffsets[i]!)
  return makeData({ type: new Utf8(), length: texts.length, nullCount: 0, valueOffsets, data })
}

/** Built by hand: going through arrays of numbers takes longer than the commit itself. */
function vectorColumn(chunks: readonly IndexedChunk[], dimensions: number): Data {
  const values = new Uint16Array(chunks.length * dimensions)
  const halves = new Float16Array(values.buffer)
  const nullBitmap = new Uint8Array(Math.ceil(chunks.length / 8))
  let nullCount = 0
  for (const [i, { id, vector }] of chunks.entries()) {
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
  return makeData({ type: new FixedSizeList(dimensions, item), length: chunks.length, nullCount, nullBitmap, child })
}
