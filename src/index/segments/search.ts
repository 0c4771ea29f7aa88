import { type Bitmap, createBitmap } from './bitmap.ts'
import { Bm25f, type ScoringParameters } from './bm25f.ts'
import type { SegmentReader } from './segment-reader.ts'
import { GroupScorer, type Scorer } from './group-scorer.ts'
import { rowOf, type SegmentRow, type TermLists } from './segment-row.ts'
import { TermScorer } from './term-scorer.ts'
import { type SegmentHit, TopHits } from './top-hits.ts'

export interface SearchedSegment {
  reader: SegmentReader
  /** The passages that a filter allows. Null allows all. */
  allowed: Bitmap | null
}

/** Words of a question, with other words for the same thing. */
export interface ExpandedGroup {
  /** The terms of the question's own words. A term that is given twice counts twice. */
  own: readonly string[]
  /** How often the question contains the group. */
  times: number
  alternatives: readonly {
    /** The words, each with the terms that it may have. A passage has to contain all words. */
    words: readonly (readonly string[])[]
    /** Above 0, at most 1. */
    weight: number
    /** Whether the alternative counts in a segment. Undefined: in all. */
    countsIn?: ((segment: number) => boolean) | undefined
  }[]
}

/** Passages are scored in windows of this size. The scores of a window stay in the processor's cache. */
const WINDOW = 1024

/**
 * Returns the best passages with any of the terms, best first, exactly as if every passage had been scored. A term that is given twice counts
 * twice. The statistics are sums over the given segments, so no other segment can change a score.
 */
export function searchSegments(
  segments: readonly SearchedSegment[],
  terms: readonly string[],
  { limit, scoring, groups = [] }: { limit: number; scoring: ScoringParameters; groups?: readonly ExpandedGroup[] },
): SegmentHit[] {
  const row = rowOf(segments)
  const bm25f = new Bm25f(scoring, row.statistics)
  const scorers: Scorer[] = [...termScorers(terms, bm25f, row).scorers, ...groups.map((group) => groupScorer(group, bm25f, row))]
  const top = new TopHits(limit, row.segments)
  if (scorers.length > 0 && limit > 0) searchRow(segments, row, scorers, top)
  return top.sorted()
}

/** Returns scorers of the terms that a passage has, and the highest sum of their scores. */
function termScorers(
  terms: readonly string[],
  bm25f: Bm25f,
  row: SegmentRow,
  countsIn?: (segment: number) => boolean,
): { scorers: TermScorer[]; most: number } {
  let sum = 0
  const scorers = [...countTerms(terms)].flatMap(([text, times]) => {
    const lists = row.find(text)
    const most = bm25f.most(row.frequency(lists, bm25f.searched), times)
    sum += most
    return most === 0 ? [] : [new TermScorer(bm25f, most, row, countsIn ? within(lists, countsIn) : lists)]
  })
  return { scorers, most: sum }
}

/** Weights each alternative so that it can't score higher than the group's own words, if passages have these words. */
function groupScorer({ own, times, alternatives }: ExpandedGroup, bm25f: Bm25f, row: SegmentRow): GroupScorer {
  const ownWords = termScorers(own, bm25f, row)
  const scored = alternatives.flatMap(({ words, weight, countsIn }) => {
    const others = words.map((terms) => termScorers(terms, bm25f, row, countsIn))
    if (others.some(({ most }) => most === 0)) return []
    const most = others.reduce((sum, word) => sum + word.most, 0)
    const cap = ownWords.most === 0 ? times : Math.min(times, ownWords.most / most)
    const rarest = others.reduce((best, { most }, i) => (most > others[best]!.most ? i : best), 0)
    return { words: others.map(({ scorers }) => scorers), rarest, weight: weight * cap }
  })
  return new GroupScorer(ownWords.scorers, scored, WINDOW)
}

/** Returns the lists of some segments. */
function within({ segments, places, having }: TermLists, countsIn: (segment: number) => boolean): TermLists {
  const kept = [...segments.keys()].filter((i) => countsIn(segments[i]!))
  return { segments: Uint32Array.from(kept, (i) => segments[i]!), places: Uint32Array.from(kept, (i) => places[i]!), having }
}

/**
 * Block-max MaxScore in windows, as in Lucene's MaxScoreBulkScorer. In each window, the terms with the lowest bounds are optional as long as the
 * sum of their bounds is below the threshold: a passage with only optional terms is not among the best. The search collects the postings of
 * the other terms. It looks up the optional terms only for passages that can still reach the threshold.
 */
function searchRow(segments: readonly SearchedSegment[], { starts }: SegmentRow, scorers: Scorer[], top: TopHits): void {
  const scores = new Float64Array(WINDOW)
  const matches = createBitmap(WINDOW)
  const all = starts[segments.length]!
  let segment = 0
  for (let start = 0; start < all;) {
    const end = Math.min(all, start + WINDOW)
    for (const scorer of scorers) scorer.enter(start, end)
    scorers.sort((a, b) => a.bound - b.bound)
    const optional = countOptional(scorers, top.threshold)
    let optionalBounds = 0
    for (let i = 0; i < optional; i++) optionalBounds += scorers[i]!.bound
    for (let i = optional; i < scorers.length; i++) if (scorers[i]!.bound > 0) scorers[i]!.collect(start, end, scores, matches)
    for (let word = 0; word * 32 < end - start; word++) {
      if (matches[word] === 0) continue
      while (starts[segment + 1]! <= start + word * 32) segment++
      const { reader, allowed } = segments[segment]!
      const at = (start - starts[segment]!) / 32 + word
      let bits = matches[word]! & ~reader.deletions.bits[at]! & (allowed === null ? -1 : allowed[at]!)
      matches[word] = 0
      for (; bits !== 0; bits &= bits - 1) {
        const passage = word * 32 + 31 - Math.clz32(bits & -bits)
        const collected = scores[passage]!
        if (collected + optionalBounds < top.threshold) continue
        const score = complete(collected, start + passage, scorers, optional, optionalBounds, top.threshold)
        top.add(segment, start + passage - starts[segment]!, score)
      }
    }
    scores.fill(0, 0, end - start)
    start = nextWindow(scorers, end)
  }
}

/** Returns how many terms are optional. These come first, and the sum of their bounds is below the threshold. */
function countOptional(scorers: readonly Scorer[], threshold: number): number {
  let sum = 0
  for (let i = 0; i < scorers.length; i++) {
    sum += scorers[i]!.bound
    if (sum >= threshold) return i
  }
  return scorers.length
}

/**
 * Adds the scores of the optional terms to `collected`, the terms with the highest bounds first. `optionalBounds` is the sum of these bounds.
 * Returns a score below the threshold when the passage can't reach it.
 */
function complete(
  collected: number,
  passage: number,
  scorers: readonly Scorer[],
  optional: number,
  optionalBounds: number,
  threshold: number,
): number {
  let score = collected
  let rest = optionalBounds
  for (let i = optional - 1; i >= 0 && score + rest >= threshold; i--) {
    rest -= scorers[i]!.bound
    score += scorers[i]!.scoreOf(passage)
  }
  return score
}

/** Returns the start of the next window in which a term may have a passage. */
function nextWindow(scorers: readonly Scorer[], end: number): number {
  let next = Infinity
  for (const scorer of scorers) next = Math.min(next, scorer.next(end))
  return next <= end ? end : next - (next % WINDOW)
}

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) {
    const wellFormed = term.toWellFormed()
    counts.set(wellFormed, (counts.get(wellFormed) ?? 0) + 1)
  }
  return counts
}
