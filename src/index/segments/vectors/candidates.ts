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
  readonly segments: number[] = []
  readonly rows: number[] = []
  readonly high: number[] = []
  readonly rest: number[] = []
  private readonly upper: number[] = []
  /** The highest lower bounds. The root is the lowest of them. */
  private readonly heap: Float64Array
  private size = 0

  constructor(limit: number) {
    this.heap = new Float64Array(limit)
  }

  /** The limit-th highest lower bound. */
  get threshold(): number {
    return this.size < this.heap.length ? -Infinity : this.heap[0]!
  }

  add({ segment, row, high, rest }: Candidate, lower: number, upper: number): void {
    this.segments.push(segment)
    this.rows.push(row)
    this.high.push(high)
    this.rest.push(rest)
    this.upper.push(upper)
    if (this.size < this.heap.length) this.moveUp(lower)
    else if (lower > this.heap[0]!) this.moveDown(lower)
  }

  /** Returns the indexes of the vectors that may be among the best, in the lists above. */
  *remaining(): Generator<number> {
    const { threshold } = this
    for (const [i, upper] of this.upper.entries()) if (upper >= threshold) yield i
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
