export interface Candidate {
  segment: number
  row: number
  /** The dot products of the query with the row's high bytes, and with its rest (format.ts). */
  high: number
  rest: number
}

/**
 * The vectors that may be among the best. The high bytes alone give a lower and an upper bound of a vector's score. A heap of the highest lower
 * bounds gives the threshold: a vector whose upper bound is below the threshold is not among the best.
 */
export class Candidates {
  /** The limit-th highest lower bound. */
  threshold = -Infinity
  readonly segments: number[] = []
  readonly rows: number[] = []
  readonly high: number[] = []
  readonly rest: number[] = []
  private readonly lower: number[] = []
  private readonly upper: number[] = []
  /** The highest lower bounds. The root is the lowest of them. */
  private readonly heap: Float64Array
  private size = 0

  constructor(limit: number) {
    this.heap = new Float64Array(limit)
  }

  add({ segment, row, high, rest }: Candidate, lower: number, upper: number): void {
    this.segments.push(segment)
    this.rows.push(row)
    this.high.push(high)
    this.rest.push(rest)
    this.lower.push(lower)
    this.upper.push(upper)
    if (this.size < this.heap.length) this.moveUp(lower)
    else if (lower > this.heap[0]!) this.moveDown(lower)
    if (this.size === this.heap.length) this.threshold = this.heap[0]!
  }

  /** The number of vectors so far. */
  get count(): number {
    return this.rows.length
  }

  /** Returns how many of the vectors from index `from` on have one of the highest lower bounds. */
  countBest(from: number): number {
    const { lower, threshold } = this
    let count = 0
    for (let i = from; i < lower.length; i++) if (lower[i]! >= threshold) count++
    return count
  }

  /** Returns the indexes of the vectors that may be among the best, in the lists above. */
  remaining(): number[] {
    const { threshold, upper } = this
    const found: number[] = []
    for (let i = 0; i < upper.length; i++) if (upper[i]! >= threshold) found.push(i)
    return found
  }

  private moveUp(value: number): void {
    const { heap } = this
    let at = this.size++
    for (; at > 0; at = (at - 1) >>> 1) {
      const parent = heap[(at - 1) >>> 1]!
      if (parent <= value) break
      heap[at] = parent
    }
    heap[at] = value
  }

  private moveDown(value: number): void {
    const { heap, size } = this
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && heap[child + 1]! < heap[child]!) child++
      if (heap[child]! >= value) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = value
  }
}
