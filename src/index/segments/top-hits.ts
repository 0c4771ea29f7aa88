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
  /** A passage with a lower score is not among the best. */
  threshold = -Infinity
  private readonly limit: number
  private readonly searched: readonly Segment[]
  /** The heap in parallel arrays, because a search adds thousands of hits. The last place is for a hit that may replace the root. */
  private readonly segments: Uint32Array
  private readonly passages: Uint32Array
  private readonly scores: Float64Array
  private size = 0

  constructor(limit: number, searched: readonly Segment[]) {
    this.limit = limit
    this.searched = searched
    this.segments = new Uint32Array(limit + 1)
    this.passages = new Uint32Array(limit + 1)
    this.scores = new Float64Array(limit + 1)
  }

  add(segment: number, passage: number, score: number): void {
    if (score < this.threshold) return
    const { limit, size } = this
    this.segments[size] = segment
    this.passages[size] = passage
    this.scores[size] = score
    if (size < limit) {
      this.size++
      this.moveUp(size)
    } else if (this.isBetter(limit, 0)) {
      this.swap(limit, 0)
      this.moveDown(0)
    }
    if (this.size === limit) this.threshold = this.scores[0]!
  }

  /** Returns the hits, best first. */
  sorted(): SegmentHit[] {
    const order = Array.from({ length: this.size }, (_, at) => at).sort((a, b) => (this.isBetter(a, b) ? -1 : 1))
    return order.map((at) => ({ segment: this.segments[at]!, passage: this.passages[at]!, score: this.scores[at]! }))
  }

  private isBetter(a: number, b: number): boolean {
    const { scores } = this
    return scores[a] === scores[b] ? this.compareTies(a, b) < 0 : scores[a]! > scores[b]!
  }

  /** Compares hits with equal scores. Returns a number below 0 when `a` is better. */
  private compareTies(a: number, b: number): number {
    const [segmentA, segmentB, passageA, passageB] = [this.segments[a]!, this.segments[b]!, this.passages[a]!, this.passages[b]!]
    const [ofA, ofB] = [this.searched[segmentA]!, this.searched[segmentB]!]
    // Within a segment, the passages of several paths are in the order of the paths.
    if (ofA === ofB && !ofA.haveSamePath(passageA, passageB)) return passageA - passageB
    const [pathA, pathB] = ofA === ofB ? ['', ''] : [ofA.pathOf(passageA), ofB.pathOf(passageB)]
    if (pathA !== pathB) return pathA < pathB ? -1 : 1
    return (
      ofA.indexOf(passageA) - ofB.indexOf(passageB) ||
      compareTexts(ofA, passageA, ofB, passageB) ||
      segmentA - segmentB ||
      passageA - passageB
    )
  }

  private moveUp(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >>> 1
      if (!this.isBetter(parent, at)) return
      this.swap(at, parent)
      at = parent
    }
  }

  private moveDown(from: number): void {
    for (let at = from, child = 2 * at + 1; child < this.size; child = 2 * at + 1) {
      if (child + 1 < this.size && this.isBetter(child, child + 1)) child++
      if (!this.isBetter(at, child)) return
      this.swap(at, child)
      at = child
    }
  }

  private swap(a: number, b: number): void {
    const { segments, passages, scores } = this
    const [segment, passage, score] = [segments[a]!, passages[a]!, scores[a]!]
    segments[a] = segments[b]!
    passages[a] = passages[b]!
    scores[a] = scores[b]!
    segments[b] = segment
    passages[b] = passage
    scores[b] = score
  }
}

/** Orders passages by the hashes of their texts. */
function compareTexts({ sections: a }: Segment, passageA: number, { sections: b }: Segment, passageB: number): number {
  return (
    a.textHashes[2 * passageA]! - b.textHashes[2 * passageB]! || a.textHashes[2 * passageA + 1]! - b.textHashes[2 * passageB + 1]!
  )
}
