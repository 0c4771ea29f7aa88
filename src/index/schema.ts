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
import type { IndexedChunk } from './chunk-index.ts'

/**
 * Vectors are kept as 16-bit floats: a flat scan is 1.3 to 1.5 times as fast as over 32 bits, the table half the size, and the order of the
 * best 200 of 20,000 the same (vectors have length 1, so a component is off by 1/4096 of itself at most).
 */
const item = new Field('item', new Float16(), true)
const tag = new Field('item', new Utf8(), true)

export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

interface Column {
  name: string
  type: DataType
  value: (chunk: IndexedChunk) => unknown
}

const COLUMNS: Column[] = [
  { name: 'id', type: new Utf8(), value: (chunk) => chunk.id },
  { name: 'document_id', type: new Utf8(), value: (chunk) => chunk.documentId },
  { name: 'version', type: new Int32(), value: (chunk) => chunk.version },
  { name: 'owner_id', type: new Utf8(), value: (chunk) => chunk.ownerId },
  { name: 'project_id', type: new Utf8(), value: (chunk) => chunk.projectId },
  { name: 'media_type', type: new Utf8(), value: (chunk) => chunk.mediaType },
  // Letter case does not count in names, and what that means differs between databases.
  { name: 'name_folded', type: new Utf8(), value: (chunk) => foldName(chunk.name) },
  { name: 'path', type: new Utf8(), value: (chunk) => chunk.path },
  { name: 'tags', type: new List(tag), value: (chunk) => chunk.tags },
  // Milliseconds since 1970: as plain numbers, dates far from now neither overflow nor need a literal that SQL can read.
  { name: 'document_created_at', type: new Int64(), value: (chunk) => BigInt(chunk.documentCreatedAt.getTime()) },
  { name: 'chunk_index', type: new Int32(), value: (chunk) => chunk.index },
  { name: 'page_start', type: new Int32(), value: (chunk) => chunk.pageStart },
  { name: 'page_end', type: new Int32(), value: (chunk) => chunk.pageEnd },
  { name: 'char_start', type: new Int32(), value: (chunk) => chunk.charStart },
  { name: 'char_end', type: new Int32(), value: (chunk) => chunk.charEnd },
  { name: 'heading', type: new Utf8(), value: (chunk) => chunk.heading },
  { name: 'title', type: new Utf8(), value: (chunk) => chunk.title },
  { name: 'text', type: new Utf8(), value: (chunk) => chunk.text },
  { name: 'gap', type: new Utf8(), value: (chunk) => chunk.gap },
  { name: 'context', type: new Utf8(), value: (chunk) => chunk.context },
  { name: 'text_hash', type: new Utf8(), value: (chunk) => chunk.textHash },
  { name: 'terms', type: new Utf8(), value: (chunk) => chunk.terms },
]

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
