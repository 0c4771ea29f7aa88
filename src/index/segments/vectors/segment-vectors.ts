import { check, readSections } from '../sections.ts'
import { VECTORS, type VectorLayout, type VectorSections } from './format.ts'

/** The vectors of a segment's passages: an immutable file (format.ts has the layout). */
export class SegmentVectors {
  readonly sections: VectorSections
  readonly passages: number
  readonly layout: VectorLayout
  /** Number of passages that have a vector. */
  readonly count: number

  /**
   * Verifies every checksum, unless that was done before. Throws DocsearchError `index_corrupt` for a damaged file. Keeps views of the bytes, which may
   * be shared.
   */
  constructor(bytes: Uint8Array, options?: { isVerified: boolean }) {
    const sections = readSections(VECTORS, bytes, options)
    const [passages = -1, dimensions = -1, denseDimensions = -1] = sections.summary
    const count = sections.passages.length
    const expected: Partial<Record<keyof VectorSections, number>> = {
      summary: 3,
      places: passages,
      high: count * denseDimensions,
      low: count * denseDimensions,
      scales: count,
    }
    for (const [name, length] of Object.entries(expected))
      check(sections[name as keyof VectorSections].length === length, `has another length of ${name}`)
    this.sections = sections
    this.passages = passages
    this.layout = { dimensions, denseDimensions }
    this.count = count
  }
}
