import { type Bitmap, createBitmap } from './bitmap.ts'
import { Bm25f, type ScoringParameters } from './bm25f.ts'
import type { SegmentReader } from './segment-reader.ts'
import { rowOf, type SegmentRow } from './segment-row.ts'
import { TermScorer } from './term-scorer.ts'
import { type SegmentHit, TopHits } from './top-hits.ts'

export interface SearchedSegment {
  reader: SegmentReader
  /** The passages that a filter allows. Null allows all. */
  allowed: Bitmap | null
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
  { limit, scoring }: { limit: number; scoring: ScoringParameters },
): SegmentHit[] {
  const row = rowOf(segments)
  const bm25f = new Bm25f(scoring, row.statistics)
  const scorers = [...countTerms(terms)].flatMap(([text, times]) => {
    const lists = row.find(text)
    const most = bm25f.most(row.frequency(lists, bm25f.searched), times)
    return most === 0 ? [] : [new TermScorer(bm25f, most, row, lists)]
  })
  const top = new TopHits(limit, row.segments)
  if (scorers.length > 0 && limit > 0) searchRow(segments, row, scorers, top)
  return top.sorted()
}

/**
 * Block-max MaxScore in windows, as in Lucene's MaxScoreBulkScorer. In each window, the terms with the lowest bounds are optional as long as the
 * sum of their bounds is below the threshold: a passage with only optional terms is not among the best. The search collects the postings of
 * the other terms. It looks up the optional terms only for passages that can still reach the threshold.
 */
function searchRow(segments: readonly SearchedSegment[], { starts }: SegmentRow, scorers: TermScorer[], top: TopHits): void {
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
        if (score >= top.threshold) top.add({ segment, passage: start + passage - starts[segment]!, score })
      }
    }
    scores.fill(0, 0, end - start)
    start = nextWindow(scorers, end)
  }
}

/** Returns how many terms are optional. These come first, and the sum of their bounds is below the threshold. */
function countOptional(scorers: readonly TermScorer[], threshold: number): number {
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
  scorers: readonly TermScorer[],
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
function nextWindow(scorers: readonly TermScorer[], end: number): number {
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
