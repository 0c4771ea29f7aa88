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

/** Reading a single row takes about as long as scanning this many rows of a block. */
const SINGLE_ROW_COST = 10

/**
 * Returns the passages whose vectors have the highest cosine similarity to the query, best first. Never returns passages without a vector, and
 * returns nothing for a query without a direction. A passage's score depends only on its own vector and the query. In large segments, the search
 * scans only the clusters nearest to the query, so it may miss a passage. The passages that it finds are in the right order.
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

/** Counts the rows that a filter allows. Returns the rows as well, in ascending order, if there are at most `few`. */
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
