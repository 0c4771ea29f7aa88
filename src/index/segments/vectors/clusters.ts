import { Centroids } from './centroids.ts'
import type { VectorOrigin } from './origin.ts'

/** Fewer vectors are not clustered: scanning all of them is about as fast as scanning the nearest clusters. */
export const MIN_CLUSTERED = 30_000
const SAMPLES_PER_CLUSTER = 40
const ROUNDS = 6
/** A vector is compared with the centroids in this many groups. */
const COMPARED_GROUPS = 8

export interface Clusters {
  centroids: Int8Array
  centroidScales: Float32Array
  clusters: VectorOrigin[][]
}

/**
 * Divides n vectors into about 4√n clusters of similar directions, or into no clusters when there are few vectors. Similar centroids form groups,
 * so that training and assignment compare a vector with a few hundred centroids instead of all. The same vectors give the same clusters.
 */
export function clusterVectors(vectors: readonly VectorOrigin[], stride: number, minClustered = MIN_CLUSTERED): Clusters {
  if (vectors.length < minClustered) return { centroids: new Int8Array(0), centroidScales: new Float32Array(0), clusters: [] }
  const count = Math.round(4 * Math.sqrt(vectors.length))
  const sample = evenlySpaced(vectors, count * SAMPLES_PER_CLUSTER)
  const groups = train(sample, Math.round(Math.sqrt(count)), stride)
  const members = Map.groupBy(sample, (vector) => groups.nearest(vector))
  const grouped = Array.from({ length: groups.count }, (_, group) => {
    const ofGroup = members.get(group) ?? []
    return train(ofGroup, Math.round((count * ofGroup.length) / sample.length), stride)
  })
  const centroids = Centroids.join(grouped, stride)
  const firsts = [0]
  for (const group of grouped) firsts.push(firsts.at(-1)! + group.count)
  const clusters = Array.from({ length: centroids.count }, (): VectorOrigin[] => [])
  for (const vector of vectors) {
    const ranges = groups
      .nearestFew(vector, COMPARED_GROUPS)
      .map((group): [number, number] => [firsts[group]!, firsts[group + 1]!])
    clusters[centroids.nearest(vector, ranges)]!.push(vector)
  }
  return { centroids: centroids.rows, centroidScales: centroids.scales, clusters }
}

/** Spherical k-means: each round moves a centroid to the mean direction of the vectors that are nearest to it. */
function train(vectors: readonly VectorOrigin[], count: number, stride: number): Centroids {
  const sums = new Float64Array(Math.max(1, Math.min(count, vectors.length)) * stride)
  for (const [cluster, vector] of evenlySpaced(vectors, sums.length / stride).entries()) addTo(sums, cluster, vector, stride)
  let centroids = new Centroids(sums, stride)
  for (let round = 0; round < ROUNDS && centroids.count > 1; round++) {
    sums.fill(0)
    for (const vector of vectors) addTo(sums, centroids.nearest(vector), vector, stride)
    centroids = new Centroids(sums, stride)
  }
  return centroids
}

function addTo(sums: Float64Array, cluster: number, { source, row }: VectorOrigin, stride: number): void {
  const scale = source.scales[row]!
  const { high } = source
  for (let i = cluster * stride, at = row * stride; at < (row + 1) * stride; i++, at++) sums[i]! += high[at]! * scale
}

/** Returns `count` evenly spaced elements, or all if there are fewer. */
function evenlySpaced<T>(list: readonly T[], count: number): readonly T[] {
  return list.length <= count ? list : Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]!)
}
