import { ByteWriter } from '../bytes.ts'
import { BLOCK_ROWS, type VectorSections } from './format.ts'
import { memoryWith, align, compileKernel, KernelModule, pagesFor } from './kernel-memory.ts'
import { REST_KERNEL } from './kernel-bytes.ts'

/**
 * The rest of many vectors while a file is written, row by row. A row has a pair for each component that isn't 0: the distance to the dimension of
 * the pair before, and the component. If pairs would not be shorter, the row has all components.
 */
export class RestRows {
  private readonly dimensions: number
  private readonly bytes = new ByteWriter()
  private readonly ends: number[] = []

  constructor(dimensions: number) {
    this.dimensions = dimensions
  }

  /** Appends a row: `components[from]`, `components[from + step]` and so on. */
  add(components: ArrayLike<number>, from = 0, step = 1): void {
    const { bytes, dimensions } = this
    const start = bytes.length
    let last = -1
    for (let dimension = 0, at = from; dimension < dimensions && bytes.length - start < dimensions; dimension++, at += step) {
      const component = components[at]!
      const distance = dimension - last
      if (component === 0 && distance < 255) continue
      bytes.byte(distance)
      bytes.byte(component)
      last = dimension
    }
    if (bytes.length - start >= dimensions) {
      bytes.length = start
      for (let dimension = 0, at = from; dimension < dimensions; dimension++, at += step) bytes.byte(components[at]!)
    }
    this.ends.push(bytes.length)
  }

  /** Copies a row into row `to` of a table of `createRestTable`, which has to be all zeros. */
  copy(row: number, table: Int8Array, to: number): void {
    const bytes = this.bytes.written()
    const end = this.ends[row]!
    let from = row === 0 ? 0 : this.ends[row - 1]!
    if (end - from === this.dimensions) for (let at = to; from < end; from++, at += BLOCK_ROWS) table[at] = bytes[from]!
    else
      for (let dimension = -1; from < end; from += 2) {
        dimension += bytes[from]!
        table[dimension * BLOCK_ROWS + to] = bytes[from + 1]!
      }
  }
}

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

interface RestFunctions {
  addRest(
    query: number,
    queryEnd: number,
    ends: number,
    firstEnds: number,
    rest: number,
    rows: number,
    sums: number,
    ranges: number,
  ): void
}

let module: WebAssembly.Module | undefined

/** Computes the dot products of the rest of one query with the rest of many rows (rest-kernel.wat), in memory that the kernel can read. */
export class RestKernel {
  private readonly dimensions: number
  private readonly query: Int32Array
  private readonly sums: Int32Array
  private readonly functions: KernelModule<RestFunctions>
  private readonly rangesAt: number
  private queryEnd = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    const sumsAt = align(8 * dimensions)
    this.rangesAt = sumsAt + 4 * BLOCK_ROWS
    const own = new WebAssembly.Memory({ initial: pagesFor(this.rangesAt + 8 * dimensions + 4) })
    this.query = new Int32Array(own.buffer, 0, 2 * dimensions)
    this.sums = new Int32Array(own.buffer, sumsAt, BLOCK_ROWS)
    this.functions = new KernelModule((module ??= compileKernel(REST_KERNEL)), own)
  }

  setQuery(components: readonly RestComponent[]): void {
    for (const [i, { dimension, component }] of components.entries()) {
      this.query[2 * i] = 4 * dimension
      this.query[2 * i + 1] = component
    }
    this.queryEnd = 8 * components.length
  }

  /** Returns a function for the products of the query with the rows of a block. Its next call overwrites the products. */
  sumsOf({ rest, restEnds }: Pick<VectorSections, 'rest' | 'restEnds'>): (block: number, rows: number) => Int32Array {
    const { sums, queryEnd, rangesAt, dimensions } = this
    const { addRest } = this.functions.of(memoryWith(rest)!)
    const [restAt, endsAt, sumsAt] = [rest.byteOffset, restEnds.byteOffset, sums.byteOffset]
    return (block, rows) => {
      sums.fill(0, 0, rows)
      addRest(0, queryEnd, endsAt + 4 * block * dimensions, endsAt, restAt, rows, sumsAt, rangesAt)
      return sums
    }
  }
}

/** Quantised vectors, some of which are copied into a new file. */
export type VectorSource = Pick<VectorSections, 'high' | 'low' | 'scales' | 'restScales'> & { rest: RestRows }

/** Where the vector of a passage comes from. `passage` is its number in the new file. */
export interface VectorOrigin {
  passage: number
  source: VectorSource
  row: number
}
