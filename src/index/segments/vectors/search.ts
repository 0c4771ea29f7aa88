import { type Bitmap, membersOf } from '../bitmap.ts'
import type { SearchedSegment } from '../search.ts'
import { type SegmentHit, TopHits } from '../top-hits.ts'
import { Candidates } from './candidates.ts'
import { nearestClusters, rowsToScan } from './choose-clusters.ts'
import { NO_ROW } from './format.ts'
import { prepareQuery } from './query.ts'
import { SegmentScan } from './segment-scan.ts'
import type { SegmentVectors } from './segment-vectors.ts'

export type SearchedVectors = SearchedSegment & { vectors: SegmentVectors }

/** A row by itself takes about as long as this many rows of a block. */
const SINGLE_ROW_COST = 10

/**
 * Returns the passages whose vectors have the highest cosines with the query, best first. Passages without a vector are not found, and a query
 * without a direction finds nothing. A passage's score depends on its own vector and on the query alone. In large segments, the search scans the
 * clusters that are nearest to the query and may miss a passage; what it finds is in the right order.
 */
export function searchVectors(segments: readonly SearchedVectors[], query: Float32Array, limit: number): SegmentHit[] {
  const first = segments.find(({ vectors }) => vectors.count > 0)
  const prepared = first === undefined || limit <= 0 ? null : prepareQuery(query, first.vectors.layout)
  if (prepared === null) return []
  const candidates = new Candidates(limit)
  const scans = segments.map((searched, i) => new SegmentScan(searched, i, prepared, candidates))
  for (const [i, scan] of scans.entries()) scanSegment(segments[i]!, scan, prepared.scale > 0)
  const top = new TopHits(
    limit,
    segments.map(({ reader }) => reader.segment),
  )
  for (const i of candidates.remaining()) {
    const segment = candidates.segments[i]!
    const row = candidates.rows[i]!
    const score = scans[segment]!.exactScore(row, candidates.high[i]!, candidates.rest[i]!)
    top.add({ segment, passage: segments[segment]!.vectors.sections.passages[row]!, score })
  }
  return top.sorted()
}

function scanSegment({ allowed, vectors }: SearchedVectors, scan: SegmentScan, hasDense: boolean): void {
  const { blockEnds, clusterEnds } = vectors.sections
  const isClustered = clusterEnds.length > 0 && hasDense
  const budget = isClustered ? rowsToScan(vectors.count, scan.query) : vectors.count
  const wanted = allowed === null ? null : allowedRows(vectors, allowed, budget / SINGLE_ROW_COST)
  if (wanted?.rows !== undefined) return scan.rows(wanted.rows)
  if (!isClustered) return scan.blocks(0, blockEnds.length)
  const enough = budget * ((wanted?.count ?? vectors.count) / vectors.count)
  for (const cluster of nearestClusters(vectors, scan.query)) {
    if (scan.scanned >= enough) break
    scan.blocks(cluster === 0 ? 0 : clusterEnds[cluster - 1]!, clusterEnds[cluster]!)
  }
  scan.blocks(clusterEnds.at(-1)!, blockEnds.length)
}

/** Counts the rows that a filter allows, and returns them in ascending order when they are few. */
function allowedRows({ sections }: SegmentVectors, allowed: Bitmap, few: number): { count: number; rows?: Uint32Array } {
  const rows: number[] = []
  let count = 0
  for (const passage of membersOf(allowed)) {
    const row = sections.rows[passage]!
    if (row === NO_ROW) continue
    count++
    if (count <= few) rows.push(row)
  }
  return count <= few ? { count, rows: Uint32Array.from(rows).sort() } : { count }
}
