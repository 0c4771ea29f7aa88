import { type Bitmap, createBitmap, membersOf, setBit } from '../bitmap.ts'
import type { SearchedSegment } from '../search.ts'
import { type SegmentHit, TopHits } from '../top-hits.ts'
import { Candidates } from './candidates.ts'
import { NO_ROW, BLOCK_ROWS } from './format.ts'
import { prepareQuery, type VectorQuery } from './query.ts'
import { type ScannedRow, SegmentScan } from './segment-scan.ts'
import type { SegmentVectors } from './segment-vectors.ts'

export type SearchedVectors = SearchedSegment & { vectors: SegmentVectors }

/** A search finds at least this many vectors, because fewer don't show when it has scanned enough clusters. */
const MIN_CANDIDATES = 200
/** If a filter allows at most this share of a segment's vectors, these are read one by one rather than in clusters. */
const FEW = 0.015
/** Reading a single row takes about as long as scanning this many rows of a block. */
const SINGLE_ROW_COST = 10

/** A passage of one of the searched segments. */
export type PassagePlace = Pick<SegmentHit, 'segment' | 'passage'>

/**
 * Returns the passages whose vectors have the highest cosine similarity to the query, best first. After them come the other passages of
 * `also`, so that the caller knows their scores, too. Never returns passages without a vector, and returns nothing for a query without a
 * direction. A passage's score depends only on its own vector and the query. In large segments, the search scans only the clusters nearest to
 * the query, so it may miss a passage. The passages that it finds are in the right order.
 *
 * `also`: passages that the filter allows and that aren't deleted.
 */
export function searchVectors(
  segments: readonly SearchedVectors[],
  query: Float32Array,
  limit: number,
  also: readonly PassagePlace[] = [],
): SegmentHit[] {
  const first = segments.find(({ vectors }) => vectors.count > 0)
  const prepared = first === undefined || limit <= 0 ? null : prepareQuery(query, first.vectors.layout)
  if (prepared === null) return []
  const candidates = new Candidates(Math.max(limit, MIN_CANDIDATES))
  const wanted = rowsOf(segments, also)
  const scans = segments.map((searched, i) => new SegmentScan(searched, i, prepared, candidates, wanted.get(i) ?? null))
  scanSegments(scans, candidates, prepared)
  for (const scan of scans) scan.remaining()
  const best = new TopHits(
    limit,
    segments.map(({ reader }) => reader.segment),
  )
  const addTo = (top: TopHits, segment: number, found: ScannedRow) =>
    top.add(segment, passageOf(segments[segment]!, found), scans[segment]!.exactScore(found))
  for (const i of candidates.remaining()) {
    const { segments, rows, high, rest } = candidates
    addTo(best, segments[i]!, { row: rows[i]!, high: high[i]!, rest: rest[i]! })
  }
  const hits = best.sorted()
  if (also.length === 0) return hits
  const further = new TopHits(
    also.length,
    segments.map(({ reader }) => reader.segment),
  )
  const isKnown = new Set(hits.map(keyOf))
  for (const [i, scan] of scans.entries())
    for (const found of scan.found) {
      const passage = passageOf(segments[i]!, found)
      if (!isKnown.has(keyOf({ segment: i, passage }))) addTo(further, i, found)
    }
  return [...hits, ...further.sorted()]
}

/** Returns a bitmap of the passages' rows for each segment that has any. */
function rowsOf(segments: readonly SearchedVectors[], passages: readonly PassagePlace[]): Map<number, Bitmap> {
  const bitmaps = new Map<number, Bitmap>()
  for (const { segment, passage } of passages) {
    const { vectors } = segments[segment]!
    const row = vectors.sections.rows[passage]!
    if (row === NO_ROW) continue
    const bitmap = bitmaps.get(segment) ?? createBitmap(vectors.count)
    bitmaps.set(segment, bitmap)
    setBit(bitmap, row)
  }
  return bitmaps
}

function passageOf({ vectors }: SearchedVectors, { row }: ScannedRow): number {
  return vectors.sections.passages[row]!
}

function keyOf({ segment, passage }: PassagePlace): number {
  return segment * 2 ** 32 + passage
}

/** Scans the nearest clusters of large segments, and all of the others. */
function scanSegments(scans: readonly SegmentScan[], candidates: Candidates, query: VectorQuery): void {
  const clustered: SegmentScan[] = []
  let rows = 0
  for (const scan of scans) {
    const { allowed, vectors } = scan.searched
    const { blockEnds, clusterEnds } = vectors.sections
    const isClustered = clusterEnds.length > 0 && query.scale > 0
    const wanted =
      allowed === null ? null : allowedRows(vectors, allowed, vectors.count * (isClustered ? FEW : 1 / SINGLE_ROW_COST))
    if (wanted?.rows !== undefined) scan.rows(wanted.rows)
    else if (isClustered) {
      scan.blocks(clusterEnds.at(-1)!, blockEnds.length)
      clustered.push(scan)
      rows += wanted?.count ?? vectors.count
    } else scan.blocks(0, blockEnds.length)
  }
  const completeness = new Completeness(candidates, rows)
  let scanned = 0
  for (const { segment, cluster, similarity } of nearestClusters(
    clustered.map((scan) => scan.searched.vectors),
    query,
  )) {
    scanned += clustered[segment]!.cluster(cluster, similarity)
    if (completeness.isReached(scanned)) return
  }
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

/** The number of clusters that a search can order. A million vectors have 4,000. */
const MAX_CLUSTERS = 2 ** 21

interface RankedCluster {
  /** The index of the segment in the given list. */
  segment: number
  cluster: number
  /** The dot product of the query with the direction of the cluster's centroid. */
  similarity: number
}

/** Yields the clusters of several segments, those with the most similar centroids first. */
function* nearestClusters(
  segments: readonly SegmentVectors[],
  { kernel, scale }: Pick<VectorQuery, 'kernel' | 'scale'>,
): Generator<RankedCluster> {
  const similarities = segments.map(({ sections: { centroids, centroidScales }, stride }) => {
    const count = centroidScales.length
    const similarity = new Float64Array(count)
    for (let from = 0; from < count; from += BLOCK_ROWS) {
      const end = Math.min(count, from + BLOCK_ROWS)
      const dots = kernel.dotsOf(centroids.subarray(from * stride, end * stride))
      for (let i = from; i < end; i++) similarity[i] = dots[i - from]! * centroidScales[i]! * scale
    }
    return similarity
  })
  const firsts = [0]
  for (const { length } of similarities) firsts.push(firsts.at(-1)! + length)
  // Each key combines similarity and cluster, because sorting numbers is faster than sorting with a comparison function.
  const keys = new Float64Array(firsts.at(-1)!)
  for (const [segment, similarity] of similarities.entries()) {
    for (let i = 0, at = firsts[segment]!; i < similarity.length; i++, at++)
      keys[at] = Math.round((similarity[i]! + 1) * 2 ** 30) * MAX_CLUSTERS + at
  }
  keys.sort()
  for (let i = keys.length - 1; i >= 0; i--) {
    const at = keys[i]! % MAX_CLUSTERS
    const segment = firsts.findLastIndex((first) => first <= at)
    const cluster = at - firsts[segment]!
    yield { segment, cluster, similarity: similarities[segment]![cluster]! }
  }
}

/** A search that has scanned less than this share of the rows is never complete. */
const MIN_SHARE = 0.02
/** How often completeness is checked while the number of scanned rows doubles. */
const CHECKS = 4
/** A search may miss this share of the best rows. It misses a smaller share of the first ten, which are in nearer clusters. */
const MAX_MISSED = 0.05

/**
 * Decides when a search has scanned enough clusters, by how many of the best rows the last half of the scan has found. Passages of real text form
 * clusters, so a search finds nearly all of the best rows soon. Where vectors have no such structure, it goes on.
 */
class Completeness {
  private readonly candidates: Candidates
  private readonly rows: number
  private readonly first: number
  /** How many candidates there were at each check. */
  private readonly counts: number[] = []
  private nextCheck: number

  /** `rows`: how many rows the search could scan. */
  constructor(candidates: Candidates, rows: number) {
    this.candidates = candidates
    this.rows = rows
    this.first = candidates.count
    this.nextCheck = (rows * MIN_SHARE) / 2
  }

  /** `scanned`: the number of rows in the clusters that were scanned so far. */
  isReached(scanned: number): boolean {
    const { candidates, counts } = this
    if (scanned < this.nextCheck) return false
    for (; this.nextCheck <= scanned; this.nextCheck *= 2 ** (1 / CHECKS)) counts.push(candidates.count)
    const half = counts.at(-1 - CHECKS)
    if (half === undefined) return false
    // What is left has at most as many of the best rows as the last half, and if it is shorter, at most as many for each row.
    const left = Math.min(1, (this.rows - scanned) / (scanned / 2))
    return candidates.countBest(half) * left <= MAX_MISSED * candidates.countBest(this.first)
  }
}
