import { ByteWriter } from '../bytes.ts'
import { BLOCK_ROWS, type VectorSections } from './format.ts'

/** Returns a table for the rest of one block. The component of dimension `d` in row `r` of the block is at `d × BLOCK_ROWS + r`. */
export function createRestTable(dimensions: number): Int8Array {
  return new Int8Array(dimensions * BLOCK_ROWS)
}

/** Writes the sections `rest` and `restEnds` (format.ts) block by block. */
export class RestWriter {
  private readonly bytes = new ByteWriter()
  private readonly ends: Uint32Array
  private written = 0

  constructor(blocks: number, dimensions: number) {
    this.ends = new Uint32Array(blocks * dimensions)
  }

  /** Appends a block of `rows` rows. */
  add(table: Int8Array, rows: number): void {
    for (let at = 0; at < table.length; at += BLOCK_ROWS) {
      let count = 0
      for (let row = 0; row < rows; row++) if (table[at + row] !== 0) count++
      const isDense = 2 * count >= rows
      for (let row = 0; count > 0 && row < rows; row++) {
        const component = table[at + row]!
        if (!isDense && component === 0) continue
        if (!isDense) this.bytes.byte(row)
        this.bytes.byte(component)
      }
      this.ends[this.written++] = this.bytes.length
    }
  }

  sections(): Pick<VectorSections, 'rest' | 'restEnds'> {
    const { buffer, byteOffset, length } = this.bytes.written()
    return { rest: new Int8Array(buffer as ArrayBuffer, byteOffset, length), restEnds: this.ends }
  }
}

/** A component of a query's rest that isn't 0. */
export interface RestComponent {
  dimension: number
  component: number
}

/** Adds `factor` times one dimension, which a block stores in `rest` from `start` up to `end`, to the sums of the block's rows. */
export function addRest(
  { rest, start, end }: { rest: Int8Array; start: number; end: number },
  rows: number,
  factor: number,
  sums: Int32Array,
): void {
  if (end - start === rows) for (let row = 0; row < rows; row++) sums[row]! += factor * rest[start + row]!
  else for (let at = start; at < end; at += 2) sums[rest[at]! & 255]! += factor * rest[at + 1]!
}

/** Reads the components of a block into a table. The table has to be all zeros. */
export function readRest(sections: VectorSections, block: number, rows: number, table: Int8Array): void {
  const dimensions = table.length / BLOCK_ROWS
  const { rest, restEnds } = sections
  for (let dimension = 0; dimension < dimensions; dimension++) {
    const at = block * dimensions + dimension
    const end = restEnds[at]!
    let from = at === 0 ? 0 : restEnds[at - 1]!
    const column = dimension * BLOCK_ROWS
    if (end - from === rows) table.set(rest.subarray(from, end), column)
    else for (; from < end; from += 2) table[column + (rest[from]! & 255)] = rest[from + 1]!
  }
}
