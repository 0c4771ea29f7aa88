import { BLOCK_ROWS } from './format.ts'
import type { VectorQuery } from './query.ts'
import type { SegmentVectors } from './segment-vectors.ts'

const MAX_CLUSTERS = 2 ** 20

/**
 * Returns how many vectors of a segment a search scans to reach a measured recall@10 of 0.98. Clusters ignore the rest (format.ts), so the larger
 * the rest of the query is, the more clusters have some of the best vectors. The scanned share falls with the number of vectors up to about
 * 250,000 vectors, and then stays the same.
 */
export function rowsToScan(vectors: number, { restShare }: VectorQuery): number {
  const share = Math.max((60 + 240 * restShare) / Math.sqrt(vectors), 0.12 + 0.5 * restShare)
  return vectors * Math.min(1, share)
}

/** Yields the clusters, those with the most similar centroids first. */
export function* nearestClusters({ sections, stride }: SegmentVectors, { kernel }: VectorQuery): Generator<number> {
  const { centroids, centroidScales } = sections
  const count = centroidScales.length
  // Each key combines similarity and cluster, because sorting numbers is faster than sorting with a comparison function.
  const keys = new Float64Array(count)
  let most = 0
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    const end = Math.min(count, from + BLOCK_ROWS)
    const dots = kernel.dotsOf(centroids.subarray(from * stride, end * stride))
    for (let i = from; i < end; i++) {
      keys[i] = dots[i - from]! * centroidScales[i]!
      most = Math.max(most, Math.abs(keys[i]!))
    }
  }
  for (let i = 0; i < count; i++) keys[i] = Math.round(((keys[i]! + most) / most) * 2 ** 30) * MAX_CLUSTERS + i
  keys.sort()
  for (let i = count - 1; i >= 0; i--) yield keys[i]! % MAX_CLUSTERS
}
