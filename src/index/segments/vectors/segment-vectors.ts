import { isPaged, type PagedBytes, type PagedFile } from '../paged-file.ts'
import { check, openSections, readSections } from '../sections.ts'
import { canRead } from './kernel-memory.ts'
import type { DotKernel } from './dot-kernel.ts'
import type { VectorQuery } from './query.ts'
import { addRest } from './rest.ts'
import {
  BLOCK_ROWS,
  SIGN_GROUP_ROWS,
  signGroupBytes,
  strideOf,
  VECTORS,
  type VectorLayout,
  type VectorSections,
} from './format.ts'

/** The dot products of a block whose rows have no rest. */
export const ZEROS = new Int32Array(BLOCK_ROWS)
const restSums = new Int32Array(BLOCK_ROWS)

/** An immutable file with the vectors of a segment's passages (format.ts describes the layout). */
export class SegmentVectors {
  readonly sections: VectorSections
  readonly passages: number
  readonly layout: VectorLayout
  readonly stride: number
  readonly restDimensions: number
  /** Number of passages that have a vector. */
  readonly count: number
  /** Number of vectors whose dense part isn't 0. They have the first rows. */
  readonly denseCount: number
  /** The sections that stay on disk. Null when they are in memory. */
  readonly #paged: { high: PagedBytes; low: PagedBytes; rest: PagedBytes; signs: PagedBytes } | null

  /**
   * Verifies every checksum, unless `isVerified` says that this was done before. Throws DocsearchError `index_corrupt` for a damaged file. Keeps
   * views of the bytes, which threads may share. Of a paged file, the arrays `high`, `low`, `rest` and `signs` in `sections` are empty.
   */
  constructor(file: Uint8Array | PagedFile, options?: { isVerified: boolean }) {
    const { sections, paged } = isPaged(file)
      ? openSections(VECTORS, file)
      : { sections: readSections(VECTORS, file, options), paged: null }
    const [passages = -1, dimensions = -1, denseDimensions = -1] = sections.summary
    this.sections = sections
    this.#paged = paged && { high: paged.high!, low: paged.low!, rest: paged.rest!, signs: paged.signs! }
    const { high, low, signs } = this.#paged ?? sections
    this.passages = passages
    this.layout = { dimensions, denseDimensions }
    this.stride = strideOf(this.layout)
    this.restDimensions = dimensions - denseDimensions
    this.count = sections.passages.length
    this.denseCount = this.stride === 0 ? 0 : high.length / this.stride
    const clusters = sections.clusterEnds.length
    const inClusters = clusters === 0 ? 0 : this.denseCount
    const expected: Partial<Record<keyof VectorSections, number>> = {
      summary: 3,
      rows: passages,
      centroids: clusters * this.stride,
      centroidScales: clusters,
      centroidLengths: clusters,
      signFactors: inClusters,
      scales: this.count,
      restScales: this.count,
      restEnds: sections.blockEnds.length * this.restDimensions,
    }
    for (const [name, length] of Object.entries(expected))
      check(sections[name as keyof VectorSections].length === length, `has the wrong number of elements in its section ${name}`)
    check(high.length === low.length, 'has the wrong number of elements in its section low')
    const signBytes = Math.ceil(inClusters / SIGN_GROUP_ROWS) * signGroupBytes(this.stride)
    check(signs.length === signBytes, 'has the wrong number of elements in its section signs')
  }

  /** Returns a function for the dot products of a query with the high bytes of the rows from `start` up to `end`. Its next call may overwrite them. */
  highDotsOf(kernel: DotKernel): (start: number, end: number) => Int32Array {
    if (this.#paged === null && canRead(this.sections.high)) return kernel.dotsAmong(this.sections.high)
    return (start, end) => kernel.dotsOf(this.highBytes(start, end))
  }

  /** Returns the dot products of a query with the high bytes of single rows. The next call overwrites them. */
  highDots(kernel: DotKernel, rows: readonly number[]): Int32Array {
    if (this.#paged === null && canRead(this.sections.high)) return kernel.dotsAt(this.sections.high, rows)
    for (const [i, row] of rows.entries()) kernel.load(this.highBytes(row, row + 1), i)
    return kernel.dots(0, rows.length)
  }

  /** Returns the high bytes of the rows from `start` up to `end`. The next call may overwrite them. */
  private highBytes(start: number, end: number): Int8Array {
    const [from, to] = [start * this.stride, end * this.stride]
    return this.#paged === null ? this.sections.high.subarray(from, to) : this.#paged.high.read(from, to)
  }

  /** Returns the signs of the groups that have the rows from `start` up to `end`. The next call may overwrite them. */
  signBytes(start: number, end: number): Int8Array {
    const bytes = signGroupBytes(this.stride)
    const [from, to] = [Math.floor(start / SIGN_GROUP_ROWS) * bytes, Math.ceil(end / SIGN_GROUP_ROWS) * bytes]
    return this.#paged === null ? this.sections.signs.subarray(from, to) : this.#paged.signs.read(from, to)
  }

  /** Returns the low bytes of a row. The next call may overwrite them. */
  lowBytes(row: number): Int8Array {
    const [from, to] = [row * this.stride, (row + 1) * this.stride]
    return this.#paged === null ? this.sections.low.subarray(from, to) : this.#paged.low.read(from, to)
  }

  /** Returns a function for the dot products of a query's rest with the rest of each row in a block. Its next call may overwrite them. */
  restDotsOf({ rest: query, restKernel }: Pick<VectorQuery, 'rest' | 'restKernel'>): (block: number) => Int32Array {
    if (query.length === 0 || this.restDimensions === 0) return () => ZEROS
    if (this.#paged === null && canRead(this.sections.rest)) {
      const sumsOf = restKernel.sumsOf(this.sections)
      return (block) => sumsOf(block, this.rowsOf(block))
    }
    return (block) => this.addRests(query, block)
  }

  /** Returns the first row of a block. */
  blockStart(block: number): number {
    return block === 0 ? 0 : this.sections.blockEnds[block - 1]!
  }

  private rowsOf(block: number): number {
    return this.sections.blockEnds[block]! - this.blockStart(block)
  }

  private addRests(query: VectorQuery['rest'], block: number): Int32Array {
    const { rest, restEnds } = this.sections
    const rows = this.rowsOf(block)
    const sums = restSums.fill(0, 0, rows)
    for (const { dimension, component } of query) {
      const at = block * this.restDimensions + dimension
      const [start, end] = [at === 0 ? 0 : restEnds[at - 1]!, restEnds[at]!]
      const stored =
        this.#paged === null ? { rest, start, end } : { rest: this.#paged.rest.read(start, end), start: 0, end: end - start }
      addRest(stored, rows, component, sums)
    }
    return sums
  }

  /** Returns the block of a row. */
  blockOf(row: number): number {
    const { blockEnds } = this.sections
    let [from, to] = [0, blockEnds.length - 1]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (blockEnds[middle]! > row) to = middle
      else from = middle + 1
    }
    return from
  }
}
