import { check, readSections } from '../sections.ts'
import { strideOf, VECTORS, type VectorLayout, type VectorSections } from './format.ts'

/** The vectors of a segment's passages: an immutable file (format.ts has the layout). */
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

  /**
   * Verifies every checksum, unless that was done before. Throws DocsearchError `index_corrupt` for a damaged file. Keeps views of the bytes, which may
   * be shared.
   */
  constructor(bytes: Uint8Array, options?: { isVerified: boolean }) {
    const sections = readSections(VECTORS, bytes, options)
    const [passages = -1, dimensions = -1, denseDimensions = -1] = sections.summary
    this.sections = sections
    this.passages = passages
    this.layout = { dimensions, denseDimensions }
    this.stride = strideOf(this.layout)
    this.restDimensions = dimensions - denseDimensions
    this.count = sections.passages.length
    this.denseCount = this.stride === 0 ? 0 : sections.high.length / this.stride
    const clusters = sections.clusterEnds.length
    const expected: Partial<Record<keyof VectorSections, number>> = {
      summary: 3,
      rows: passages,
      centroids: clusters * this.stride,
      centroidScales: clusters,
      low: sections.high.length,
      scales: this.count,
      restScales: this.count,
      restEnds: sections.blockEnds.length * this.restDimensions,
    }
    for (const [name, length] of Object.entries(expected))
      check(sections[name as keyof VectorSections].length === length, `has another length of ${name}`)
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
