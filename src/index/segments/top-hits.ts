import type { Segment } from './segment.ts'

/** A passage that matches. `segment` is the index of its segment among the searched segments. */
export interface SegmentHit {
  segment: number
  passage: number
  score: number
}

/**
 * Keeps the best hits in a heap whose root is the worst one. Equal scores are ordered by path, passage index and text, never by ID, so that
 * two instances with the same documents answer alike. Equal passages of several projects, which agree in all of this, follow the order of the
 * segments.
 */
export class TopHits {
  private readonly heap: SegmentHit[] = []
  private readonly limit: number
  private readonly segments: readonly Segment[]

  constructor(limit: number, segments: readonly Segment[]) {
    this.limit = limit
    this.segments = segments
  }

  /** A passage with a lower score is not among the best. */
  get threshold(): number {
    return this.heap.length < this.limit ? -Infinity : this.heap[0]!.score
  }

  add(hit: SegmentHit): void {
    const { heap } = this
    if (heap.length < this.limit) {
      heap.push(hit)
      this.moveUp(heap.length - 1)
    } else if (this.compare(hit, heap[0]!) < 0) {
      heap[0] = hit
      this.moveDown(0)
    }
  }

  /** Returns the hits, best first. */
  sorted(): SegmentHit[] {
    return this.heap.toSorted((a, b) => this.compare(a, b))
  }

  /** Returns a number below 0 when `a` is better. */
  private compare(a: SegmentHit, b: SegmentHit): number {
    if (a.score !== b.score) return b.score - a.score
    const [ofA, ofB] = [this.segments[a.segment]!, this.segments[b.segment]!]
    // Within a segment, the passages of several paths are in the order of the paths.
    if (ofA === ofB && !ofA.haveSamePath(a.passage, b.passage)) return a.passage - b.passage
    const [pathA, pathB] = ofA === ofB ? ['', ''] : [ofA.pathOf(a.passage), ofB.pathOf(b.passage)]
    if (pathA !== pathB) return pathA < pathB ? -1 : 1
    return (
      ofA.indexOf(a.passage) - ofB.indexOf(b.passage) ||
      compareTexts(ofA, a.passage, ofB, b.passage) ||
      a.segment - b.segment ||
      a.passage - b.passage
    )
  }

  private moveUp(from: number): void {
    const { heap } = this
    for (let at = from; at > 0;) {
      const parent = (at - 1) >>> 1
      if (this.compare(heap[at]!, heap[parent]!) <= 0) return
      ;[heap[at], heap[parent]] = [heap[parent]!, heap[at]!]
      at = parent
    }
  }

  private moveDown(from: number): void {
    const { heap } = this
    for (let at = from; ;) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && this.compare(heap[child]!, heap[worst]!) > 0) worst = child
      if (worst === at) return
      ;[heap[at], heap[worst]] = [heap[worst]!, heap[at]!]
      at = worst
    }
  }
}

/** Orders passages by the hashes of their texts. */
function compareTexts({ sections: a }: Segment, passageA: number, { sections: b }: Segment, passageB: number): number {
  return (
    a.textHashes[2 * passageA]! - b.textHashes[2 * passageB]! || a.textHashes[2 * passageA + 1]! - b.textHashes[2 * passageB + 1]!
  )
}
