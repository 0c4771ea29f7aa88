import type { VectorOrigin } from './rest.ts'
import { DotKernel } from './dot-kernel.ts'

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

/** The mean directions of clusters, with 8 bits for each component. */
class Centroids {
  readonly count: number
  readonly rows: Int8Array
  /** 1 ÷ the length of each centroid. 0 for a centroid without vectors, which no vector is nearest to. */
  readonly scales: Float32Array
  private readonly stride: number
  private readonly kernel: DotKernel

  /** `sums` has the sum of the vectors of each centroid. */
  constructor(sums: Float64Array, stride: number) {
    this.count = sums.length / stride
    this.stride = stride
    this.rows = new Int8Array(sums.length)
    this.scales = new Float32Array(this.count)
    for (let i = 0; i < this.count; i++) {
      const [from, end] = [i * stride, (i + 1) * stride]
      let [largest, sum] = [0, 0]
      for (let at = from; at < end; at++) largest = Math.max(largest, Math.abs(sums[at]!))
      for (let at = from; at < end && largest > 0; at++) {
        this.rows[at] = Math.round((sums[at]! / largest) * 127)
        sum += this.rows[at]! ** 2
      }
      this.scales[i] = sum === 0 ? 0 : 1 / Math.sqrt(sum)
    }
    this.kernel = new DotKernel(stride, this.count)
    this.kernel.load(this.rows)
  }

  static join(parts: readonly Centroids[], stride: number): Centroids {
    const joined = new Float64Array(parts.reduce((sum, { rows }) => sum + rows.length, 0))
    let at = 0
    for (const { rows } of parts) {
      joined.set(rows, at)
      at += rows.length
    }
    return new Centroids(joined, stride)
  }

  /** Returns the centroid within the ranges that is most similar to a vector. */
  nearest(vector: VectorOrigin, ranges: readonly (readonly [from: number, end: number])[] = [[0, this.count]]): number {
    let nearest = ranges[0]![0]
    let most = -Infinity
    this.setQuery(vector)
    for (const [from, end] of ranges) {
      const dots = this.kernel.dots(from, end - from)
      for (let i = from; i < end; i++) {
        const similarity = this.scales[i]! === 0 ? -Infinity : dots[i - from]! * this.scales[i]!
        if (similarity > most) [nearest, most] = [i, similarity]
      }
    }
    return nearest
  }

  /** Returns the `few` most similar centroids, in no particular order. Returns more when several are equally similar. */
  nearestFew(vector: VectorOrigin, few: number): number[] {
    this.setQuery(vector)
    const dots = this.kernel.dots(0, this.count)
    const similarity = Float64Array.from(this.scales, (scale, i) => (scale === 0 ? -Infinity : dots[i]! * scale))
    const threshold = similarity.toSorted().at(-few) ?? -Infinity
    const found: number[] = []
    for (let i = 0; i < this.count; i++) if (similarity[i]! >= threshold) found.push(i)
    return found
  }

  private setQuery({ source, row }: VectorOrigin): void {
    this.kernel.setQuery(source.high.subarray(row * this.stride, (row + 1) * this.stride))
  }
}
