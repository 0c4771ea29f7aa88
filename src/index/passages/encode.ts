import type { Data, Schema, Table } from 'apache-arrow'
import type { StoredPassage } from '../../core/passage.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { arrow, COLUMNS, sparseColumn, vectorType } from './columns.ts'
import { encodeSparse } from './sparse.ts'

const NO_BYTES = new Uint8Array()

/** Returns passages as one Arrow table, ready to be added. Throws RangeError when a vector has the wrong number of dimensions. */
export function toArrow(passages: readonly StoredPassage[], schema: Schema, layout: VectorLayout): Table {
  const { dimensions, denseDimensions } = layout
  for (const { id, vector } of passages) {
    if (vector !== null && vector.length !== dimensions)
      throw new RangeError(`The vector of ${id} has ${vector.length} dimensions instead of ${dimensions}`)
  }
  const children = COLUMNS.map(({ type, value }) => {
    const values = passages.map(value)
    return type instanceof arrow.Utf8 ? textColumn(values as string[]) : arrow.vectorFromArray(values, type).data[0]!
  })
  children.push(denseColumn(passages, layout))
  if (sparseColumn(layout) !== null)
    children.push(bytesColumn(passages.map(({ vector }) => (vector === null ? NO_BYTES : encodeSparse(vector, denseDimensions)))))
  const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: passages.length, nullCount: 0, children })
  return new arrow.Table(schema, [new arrow.RecordBatch(schema, data)])
}

/** Writes all texts into one buffer. Arrow's builder would make a small buffer for each text, and a commit consists mostly of texts. */
export function textColumn(texts: readonly string[]): Data {
  const valueOffsets = new Int32Array(texts.length + 1)
  for (const [i, text] of texts.entries()) valueOffsets[i + 1] = valueOffsets[i]! + Buffer.byteLength(text)
  const data = Buffer.allocUnsafeSlow(valueOffsets[texts.length]!)
  for (const [i, text] of texts.entries()) data.write(text, valueOffsets[i]!)
  return arrow.makeData({ type: new arrow.Utf8(), length: texts.length, nullCount: 0, valueOffsets, data })
}

function bytesColumn(values: readonly Uint8Array[]): Data {
  const valueOffsets = new Int32Array(values.length + 1)
  for (const [i, bytes] of values.entries()) valueOffsets[i + 1] = valueOffsets[i]! + bytes.length
  const data = new Uint8Array(valueOffsets[values.length]!)
  for (const [i, bytes] of values.entries()) data.set(bytes, valueOffsets[i])
  return arrow.makeData({ type: new arrow.Binary(), length: values.length, nullCount: 0, valueOffsets, data })
}

/** Writes vectors directly into the buffer: converting arrays of numbers would take longer than the commit itself. */
function denseColumn(passages: readonly StoredPassage[], layout: VectorLayout): Data {
  const { denseDimensions } = layout
  const values = new Uint16Array(passages.length * denseDimensions)
  const halves = new Float16Array(values.buffer)
  const nullBitmap = new Uint8Array(Math.ceil(passages.length / 8))
  let nullCount = 0
  for (const [i, { vector }] of passages.entries()) {
    if (vector === null) {
      nullCount++
      continue
    }
    halves.set(vector.subarray(0, denseDimensions), i * denseDimensions)
    nullBitmap[i >> 3]! |= 1 << (i & 7)
  }
  const child = arrow.makeData({ type: new arrow.Float16(), length: values.length, data: values })
  return arrow.makeData({ type: vectorType(layout), length: passages.length, nullCount, nullBitmap, child })
}
