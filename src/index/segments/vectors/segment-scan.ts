import { type Bitmap, clearBit, hasBit, membersOf } from '../bitmap.ts'
import type { SearchedSegment } from '../search.ts'
import type { Candidates } from './candidates.ts'
import type { VectorQuery } from './query.ts'
import { type SegmentVectors, ZEROS } from './segment-vectors.ts'

/** A row with the dot products of the query with its high bytes and with its rest (format.ts). */
export interface ScannedRow {
  row: number
  high: number
  rest: number
}

/** Scans the rows of one segment for one query. Keeps the rows that may be among the best, and the wanted ones. */
export class SegmentScan {
  readonly query: VectorQuery
  /** The wanted rows among those scanned so far, in the order of the scan. */
  readonly found: ScannedRow[] = []
  /** The wanted rows that were not scanned yet. */
  private readonly wanted: Bitmap | null
  readonly searched: SearchedSegment & { vectors: SegmentVectors }
  private readonly segment: number
  private readonly candidates: Candidates
  private readonly highDots: (start: number, end: number) => Int32Array
  private readonly restDots: (block: number) => Int32Array

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
    this.highDots = searched.vectors.highDotsOf(query.kernel)
    this.restDots = searched.vectors.restDotsOf(query)
  }

  /**
   * Scans a cluster: estimates all rows by their signs, and computes the scores of those that may be among the best. `similarity` is the dot product of
   * the query with the direction of the centroid. Returns how many rows the filter allows.
   */
  cluster(cluster: number, similarity: number): number {
    const { allowed, vectors } = this.searched
    const { blockEnds, clusterEnds, centroidLengths, passages } = vectors.sections
    const base = similarity * centroidLengths[cluster]!
    let scanned = 0
    for (let block = cluster === 0 ? 0 : clusterEnds[cluster - 1]!; block < clusterEnds[cluster]!; block++) {
      const [start, end] = [vectors.blockStart(block), blockEnds[block]!]
      const rests = this.restDots(block)
      const rows = this.promising(start, end, base, rests)
      const high = vectors.highDots(this.query.kernel, rows)
      for (let i = 0; i < rows.length; i++) this.offer(rows[i]!, high[i]!, rests[rows[i]! - start]!)
      scanned += allowed === null ? end - start : countAllowed(allowed, passages, start, end)
    }
    return scanned
  }

  /** Scans blocks of rows. */
  blocks(from: number, end: number): void {
    const { vectors } = this.searched
    const { blockEnds, scales, restScales } = vectors.sections
    const { candidates, wanted } = this
    const { scale, restScale, lowBound } = this.query
    for (let block = from; block < end; block++) {
      const [start, blockEnd] = [vectors.blockStart(block), blockEnds[block]!]
      const high = start < vectors.denseCount && scale > 0 ? this.highDots(start, blockEnd) : ZEROS
      const rests = this.restDots(block)
      for (let row = start; row < blockEnd; row++) {
        const unit = scales[row]! * scale
        // Most rows end here: this is the upper bound of `offer`, computed without a call for each row.
        const most = 256 * high[row - start]! * unit + rests[row - start]! * restScales[row]! * restScale + lowBound * unit
        if (most >= candidates.threshold || (wanted !== null && hasBit(wanted, row)))
          this.offer(row, high[row - start]!, rests[row - start]!)
      }
    }
  }

  /** Scans single rows, in ascending order. */
  rows(rows: Uint32Array): void {
    const { vectors } = this.searched
    const { denseCount, sections } = vectors
    const hasDense = this.query.scale > 0
    let block = -1
    let rests: Int32Array = ZEROS
    for (const row of rows) {
      if (block < 0 || row >= sections.blockEnds[block]!) {
        block = vectors.blockOf(row)
        rests = this.restDots(block)
      }
      const high = hasDense && row < denseCount ? this.highDots(row, row + 1) : ZEROS
      this.offer(row, high[0]!, rests[row - vectors.blockStart(block)]!)
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

  /** Returns the rows of a block whose scores may be among the best, by their signs. */
  private promising(start: number, end: number, base: number, rests: Int32Array): number[] {
    const { vectors } = this.searched
    const { signKernel, signError, restScale } = this.query
    const { threshold } = this.candidates
    const estimated = {
      start,
      end,
      signs: vectors.signBytes(start, end),
      factors: vectors.sections.signFactors,
      restScales: vectors.sections.restScales,
      rests: rests === ZEROS ? null : rests,
    }
    const count = signKernel.findPromising(estimated, { base, error: signError, restScale, threshold })
    const rows: number[] = []
    for (let i = 0; i < count; i++) {
      const row = start + signKernel.found[i]!
      if (this.isAllowed(row)) rows.push(row)
    }
    return rows
  }

  /** Keeps a row if it may be among the best or is wanted. `high` and `rest` are as in `ScannedRow`. */
  private offer(row: number, high: number, rest: number): void {
    const { candidates, wanted, query } = this
    const { scales, restScales } = this.searched.vectors.sections
    const unit = scales[row]! * query.scale
    const score = 256 * high * unit + rest * restScales[row]! * query.restScale
    const error = query.lowBound * unit
    if (wanted !== null && hasBit(wanted, row)) {
      clearBit(wanted, row)
      this.found.push({ row, high, rest })
    }
    // Many rows end here, before their passages are looked up.
    if (score + error < candidates.threshold || !this.isAllowed(row)) return
    candidates.add({ segment: this.segment, row, high, rest }, score - error, score + error)
  }

  private isAllowed(row: number): boolean {
    const { reader, allowed, vectors } = this.searched
    const passage = vectors.sections.passages[row]!
    return !hasBit(reader.deletions.bits, passage) && (allowed === null || hasBit(allowed, passage))
  }
}

/** Counts the rows from `start` up to `end` that a filter allows. */
function countAllowed(allowed: Bitmap, passages: Uint32Array, start: number, end: number): number {
  let count = 0
  for (let row = start; row < end; row++) count += (allowed[passages[row]! >>> 5]! >>> (passages[row]! & 31)) & 1
  return count
}
