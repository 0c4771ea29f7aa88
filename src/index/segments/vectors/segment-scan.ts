import { type Bitmap, clearBit, hasBit, membersOf } from '../bitmap.ts'
import type { SearchedSegment } from '../search.ts'
import type { Candidates } from './candidates.ts'
import { BLOCK_ROWS } from './format.ts'
import type { VectorQuery } from './query.ts'
import type { SegmentVectors } from './segment-vectors.ts'

const ZEROS = new Int32Array(BLOCK_ROWS)
const restSums = new Int32Array(BLOCK_ROWS)

/** A row with the dot products of the query with its high bytes and with its rest (format.ts). */
export interface ScannedRow {
  row: number
  high: number
  rest: number
}

/** Scans the rows of one segment for one query. Keeps the rows that may be among the best, and the wanted ones. */
export class SegmentScan {
  readonly query: VectorQuery
  /** Number of scanned rows that the filter allows. */
  scanned = 0
  /** The wanted rows among those scanned so far, in the order of the scan. */
  readonly found: ScannedRow[] = []
  /** The wanted rows that were not scanned yet. */
  private readonly wanted: Bitmap | null
  private readonly searched: SearchedSegment & { vectors: SegmentVectors }
  private readonly segment: number
  private readonly candidates: Candidates

  constructor(
    searched: SearchedSegment & { vectors: SegmentVectors },
    segment: number,
    query: VectorQuery,
    candidates: Candidates,
    wanted: Bitmap | null,
  ) {
    this.searched = searched
    this.segment = segment
    this.query = query
    this.candidates = candidates
    this.wanted = wanted
  }

  /** Scans blocks of rows. */
  blocks(from: number, end: number): void {
    const { vectors } = this.searched
    const { denseCount, sections } = vectors
    const { kernel, scale } = this.query
    for (let block = from; block < end; block++) {
      const [start, blockEnd] = [vectors.blockStart(block), sections.blockEnds[block]!]
      const hasDense = start < denseCount && scale > 0
      const high = hasDense ? kernel.dotsOf(vectors.highBytes(start, blockEnd)) : ZEROS
      this.consider(start, blockEnd, high, this.sumRest(block), 0)
    }
  }

  /** Scans single rows, in ascending order. */
  rows(rows: Uint32Array): void {
    const { vectors } = this.searched
    const { denseCount, sections } = vectors
    const { kernel, scale } = this.query
    let block = -1
    let rest: Int32Array = ZEROS
    for (const row of rows) {
      if (block < 0 || row >= sections.blockEnds[block]!) {
        block = vectors.blockOf(row)
        rest = this.sumRest(block)
      }
      const hasDense = row < denseCount && scale > 0
      const high = hasDense ? kernel.dotsOf(vectors.highBytes(row, row + 1)) : ZEROS
      this.consider(row, row + 1, high, rest, row - vectors.blockStart(block))
    }
  }

  /** Scans the wanted rows that are left. */
  remaining(): void {
    if (this.wanted !== null) this.rows(Uint32Array.from(membersOf(this.wanted)))
  }

  /** Returns a row's exact score, given the dot products of the query with the row's high bytes and with its rest. */
  exactScore({ row, high, rest }: ScannedRow): number {
    const { vectors } = this.searched
    const { sections } = vectors
    const { kernel, scale, restScale } = this.query
    const hasDense = row < vectors.denseCount && scale > 0
    const low = hasDense ? kernel.dotsOf(vectors.lowBytes(row))[0]! : 0
    return (256 * high + low) * sections.scales[row]! * scale + rest * sections.restScales[row]! * restScale
  }

  /** Keeps the rows that may be among the best or are wanted. The first row has the dot product `high[0]` for its high bytes and `rest[restAt]` for its rest. */
  private consider(start: number, end: number, high: Int32Array, rest: Int32Array, restAt: number): void {
    const { reader, allowed, vectors } = this.searched
    const { scales, restScales, passages } = vectors.sections
    const { candidates, wanted } = this
    const [scale, restScale, lowBound] = [256 * this.query.scale, this.query.restScale, this.query.lowBound / 256]
    const deleted = reader.deletions.bits
    let { threshold } = candidates
    this.scanned += allowed === null ? end - start : countAllowed(allowed, passages, start, end)
    for (let i = 0, row = start; row < end; i++, row++) {
      const unit = scales[row]! * scale
      const score = high[i]! * unit + rest[restAt + i]! * restScales[row]! * restScale
      const error = lowBound * unit
      if (wanted !== null && hasBit(wanted, row)) {
        clearBit(wanted, row)
        this.found.push({ row, high: high[i]!, rest: rest[restAt + i]! })
      }
      // Most rows end here, before their passages are looked up.
      if (score + error < threshold) continue
      const passage = passages[row]!
      if (hasBit(deleted, passage) || (allowed !== null && !hasBit(allowed, passage))) continue
      candidates.add({ segment: this.segment, row, high: high[i]!, rest: rest[restAt + i]! }, score - error, score + error)
      threshold = candidates.threshold
    }
  }

  /** Returns the dot products of the query's rest with the rest of each row in a block. */
  private sumRest(block: number): Int32Array {
    const { vectors } = this.searched
    const { rest } = this.query
    if (rest.length === 0 || vectors.restDimensions === 0) return ZEROS
    const rows = vectors.sections.blockEnds[block]! - vectors.blockStart(block)
    restSums.fill(0, 0, rows)
    for (const { dimension, component } of rest) vectors.addRest(block, dimension, component, restSums)
    return restSums
  }
}

/** Counts the rows from `start` up to `end` that a filter allows. */
function countAllowed(allowed: Bitmap, passages: Uint32Array, start: number, end: number): number {
  let count = 0
  for (let row = start; row < end; row++) count += (allowed[passages[row]! >>> 5]! >>> (passages[row]! & 31)) & 1
  return count
}
