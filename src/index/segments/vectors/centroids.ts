import { DotKernel } from './dot-kernel.ts'
import type { VectorOrigin } from './origin.ts'

/** The mean directions of clusters, with 8 bits for each component. */
export class Centroids {
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
