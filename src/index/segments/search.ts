import { type Bitmap, createBitmap } from './bitmap.ts'
import { Bm25f, type ScoringParameters } from './bm25f.ts'
import type { SegmentReader } from './segment-reader.ts'
import { sumCounts, sumStatistics } from './statistics.ts'
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
  const bm25f = new Bm25f(scoring, sumStatistics(segments))
  const found = [...countTerms(terms)].flatMap(([term, times]) => {
    const bytes = Buffer.from(term)
    const entries = segments.map(({ reader }) => reader.segment.find(bytes))
    const most = bm25f.most(sumCounts(segments, entries), times)
    return most === 0 ? [] : { entries, scorer: new TermScorer(bm25f, most) }
  })
  const top = new TopHits(
    limit,
    segments.map(({ reader }) => reader.segment),
  )
  const window = { scores: new Float64Array(WINDOW), matches: createBitmap(WINDOW) }
  for (const [i, searched] of segments.entries()) {
    const scorers = found.flatMap(({ entries, scorer }) => {
      const entry = entries[i]
      if (!entry) return []
      scorer.open(searched.reader.segment, entry)
      return scorer
    })
    if (scorers.length > 0 && limit > 0) searchSegment(searched, i, scorers, top, window)
  }
  return top.sorted()
}

/**
 * Block-max MaxScore in windows, as Lucene's MaxScoreBulkScorer does it. In each window, the terms with the lowest bounds are optional as long as
 * their bounds together are below the threshold: a passage with only these is not among the best. The other terms' postings are collected, and
 * the optional terms are looked up for the passages that can still reach the threshold.
 */
function searchSegment(
  { reader, allowed }: SearchedSegment,
  segment: number,
  scorers: TermScorer[],
  top: TopHits,
  { scores, matches }: { scores: Float64Array; matches: Bitmap },
): void {
  const { passages } = reader.segment
  const deleted = reader.deletions.bits
  for (let start = 0; start < passages;) {
    const end = Math.min(passages, start + WINDOW)
    for (const scorer of scorers) scorer.enter(start, end)
    scorers.sort((a, b) => a.bound - b.bound)
    const optional = countOptional(scorers, top.threshold)
    const optionalBounds = scorers.slice(0, optional).reduce((sum, { bound }) => sum + bound, 0)
    for (const scorer of scorers.slice(optional)) if (scorer.bound > 0) scorer.collect(start, end, scores, matches)
    for (let word = 0; word * 32 < end - start; word++) {
      const at = (start >>> 5) + word
      let bits = matches[word]! & ~deleted[at]! & (allowed === null ? -1 : allowed[at]!)
      matches[word] = 0
      for (; bits !== 0; bits &= bits - 1) {
        const passage = at * 32 + 31 - Math.clz32(bits & -bits)
        const collected = scores[passage - start]!
        if (collected + optionalBounds < top.threshold) continue
        const score = complete(collected, passage, scorers, optional, optionalBounds, top.threshold)
        if (score >= top.threshold) top.add({ segment, passage, score })
      }
    }
    scores.fill(0, 0, end - start)
    start = nextWindow(scorers, end)
  }
}

/** Returns how many of the first terms are optional: their bounds together are below the threshold. */
function countOptional(scorers: readonly TermScorer[], threshold: number): number {
  let sum = 0
  for (let i = 0; i < scorers.length; i++) {
    sum += scorers[i]!.bound
    if (sum >= threshold) return i
  }
  return scorers.length
}

/**
 * Adds the scores of the optional terms, those with the highest bounds first. `optionalBounds` is the sum of these bounds. Returns a score below the
 * threshold when the passage can't reach it.
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
