import { isPaged, type PagedBytes, type PagedFile } from '../paged-file.ts'
import { check, openSections, readSections } from '../sections.ts'
import { addRest } from './rest-blocks.ts'
import { strideOf, VECTORS, type VectorLayout, type VectorSections } from './format.ts'

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
  readonly #paged: { high: PagedBytes; low: PagedBytes; rest: PagedBytes } | null

  /**
   * Verifies every checksum, unless `isVerified` says that this was done before. Throws DocsearchError `index_corrupt` for a damaged file. Keeps
   * views of the bytes, which threads may share. Of a paged file, the arrays `high`, `low` and `rest` in `sections` are empty.
   */
  constructor(file: Uint8Array | PagedFile, options?: { isVerified: boolean }) {
    const { sections, paged } = isPaged(file)
      ? openSections(VECTORS, file)
      : { sections: readSections(VECTORS, file, options), paged: null }
    const [passages = -1, dimensions = -1, denseDimensions = -1] = sections.summary
    this.sections = sections
    this.#paged = paged && { high: paged.high!, low: paged.low!, rest: paged.rest! }
    const { high, low } = this.#paged ?? sections
    this.passages = passages
    this.layout = { dimensions, denseDimensions }
    this.stride = strideOf(this.layout)
    this.restDimensions = dimensions - denseDimensions
    this.count = sections.passages.length
    this.denseCount = this.stride === 0 ? 0 : high.length / this.stride
    const clusters = sections.clusterEnds.length
    const expected: Partial<Record<keyof VectorSections, number>> = {
      summary: 3,
      rows: passages,
      centroids: clusters * this.stride,
      centroidScales: clusters,
      scales: this.count,
      restScales: this.count,
      restEnds: sections.blockEnds.length * this.restDimensions,
    }
    for (const [name, length] of Object.entries(expected))
      check(sections[name as keyof VectorSections].length === length, `has the wrong number of elements in its section ${name}`)
    check(high.length === low.length, 'has the wrong number of elements in its section low')
  }

  /** Returns the high bytes of the rows from `start` up to `end`. The next call may overwrite them. */
  highBytes(start: number, end: number): Int8Array {
    const [from, to] = [start * this.stride, end * this.stride]
    return this.#paged === null ? this.sections.high.subarray(from, to) : this.#paged.high.read(from, to)
  }

  /** Returns the low bytes of a row. The next call may overwrite them. */
  lowBytes(row: number): Int8Array {
    const [from, to] = [row * this.stride, (row + 1) * this.stride]
    return this.#paged === null ? this.sections.low.subarray(from, to) : this.#paged.low.read(from, to)
  }

  /** Adds `factor` times one dimension of a block to the sums of its rows. */
  addRest(block: number, dimension: number, factor: number, sums: Int32Array): void {
    const { rest, restEnds, blockEnds } = this.sections
    const at = block * this.restDimensions + dimension
    const rows = blockEnds[block]! - this.blockStart(block)
    const [start, end] = [at === 0 ? 0 : restEnds[at - 1]!, restEnds[at]!]
    if (this.#paged === null) addRest(rest, { start, end, rows }, factor, sums)
    else addRest(this.#paged.rest.read(start, end), { start: 0, end: end - start, rows }, factor, sums)
  }

  /** Returns the first row of a block. */
  blockStart(block: number): number {
    return block === 0 ? 0 : this.sections.blockEnds[block - 1]!
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
