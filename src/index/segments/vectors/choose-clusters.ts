import type { Candidates } from './candidates.ts'
import { BLOCK_ROWS } from './format.ts'
import type { VectorQuery } from './query.ts'
import type { SegmentVectors } from './segment-vectors.ts'

/** The number of clusters that a search can order. A million vectors have 4,000. */
const MAX_CLUSTERS = 2 ** 21

export interface RankedCluster {
  /** The index of the segment in the given list. */
  segment: number
  cluster: number
  /** The dot product of the query with the direction of the cluster's centroid. */
  similarity: number
}

/** Yields the clusters of several segments, those with the most similar centroids first. */
export function* nearestClusters(
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
export class Completeness {
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
