import { BLOCK_ROWS } from './format.ts'
import type { VectorQuery } from './query.ts'
import type { SegmentVectors } from './segment-vectors.ts'

const MAX_CLUSTERS = 2 ** 20

/**
 * Returns how many of a segment's vectors a search scans for a recall@10 of .98, as measured (docs/segments.md). Clusters know nothing of the rest,
 * so the larger it is in the query, the more clusters hold the best. The share of the vectors falls with their number only up to about 400,000.
 */
export function rowsToScan(vectors: number, { restShare }: VectorQuery): number {
  const share = Math.max((60 + 240 * restShare) / Math.sqrt(vectors), 0.12 + 0.5 * restShare)
  return vectors * Math.min(1, share)
}

/** Returns the clusters, those with the most similar centroids first. */
export function* nearestClusters({ sections, stride }: SegmentVectors, { kernel }: VectorQuery): Generator<number> {
  const { centroids, centroidScales } = sections
  const count = centroidScales.length
  // One number for similarity and cluster sorts faster than a comparison function.
  const keys = new Float64Array(count)
  let most = 0
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    const end = Math.min(count, from + BLOCK_ROWS)
    kernel.load(centroids.subarray(from * stride, end * stride))
    const dots = kernel.dots(0, end - from)
    for (let i = from; i < end; i++) {
      keys[i] = dots[i - from]! * centroidScales[i]!
      most = Math.max(most, Math.abs(keys[i]!))
    }
  }
  for (let i = 0; i < count; i++) keys[i] = Math.round(((keys[i]! + most) / most) * 2 ** 30) * MAX_CLUSTERS + i
  keys.sort()
  for (let i = count - 1; i >= 0; i--) yield keys[i]! % MAX_CLUSTERS
}
