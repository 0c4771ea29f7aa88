import { FIELD_COUNT, FIELDS } from './format.ts'
import type { CollectionStatistics, SegmentReader } from './segment-reader.ts'
import { FIELD_SETS, type TermEntry } from './term-dictionary.ts'

/** The set of the fields whose words are in the passage itself: all but the name. */
const PASSAGE_FIELDS = 2 ** FIELD_COUNT - 1 - 2 ** FIELDS.indexOf('name')

/** Returns the sums of the statistics of several segments. */
export function sumStatistics(segments: readonly { reader: SegmentReader }[]): CollectionStatistics {
  const sum: CollectionStatistics = { passages: 0, lengths: new Array<number>(FIELD_COUNT).fill(0) }
  for (const { reader } of segments) {
    sum.passages += reader.statistics.passages
    for (let f = 0; f < FIELD_COUNT; f++) sum.lengths[f]! += reader.statistics.lengths[f]!
  }
  return sum
}

/** Returns for each set of fields how many passages have a term in exactly these fields. `entries` has the term's entry in each segment. */
export function sumCounts(segments: readonly { reader: SegmentReader }[], entries: readonly (TermEntry | null)[]): Uint32Array {
  const sum = new Uint32Array(FIELD_SETS)
  for (const [i, entry] of entries.entries()) {
    if (!entry) continue
    const counts = segments[i]!.reader.countsOf(entry)
    for (let set = 1; set < FIELD_SETS; set++) sum[set]! += counts[set]!
  }
  return sum
}

/**
 * Returns how many passages the segments have, and how many of these have each term in their title, headings or body. Deleted passages don't
 * count. A term that no passage has is missing from the map.
 */
export function termFrequencies(
  segments: readonly { reader: SegmentReader }[],
  terms: readonly string[],
): { passages: number; frequency: Map<string, number> } {
  const frequency = new Map<string, number>()
  for (const term of new Set(terms)) {
    const bytes = Buffer.from(term)
    const counts = sumCounts(
      segments,
      segments.map(({ reader }) => reader.segment.find(bytes)),
    )
    let having = 0
    for (let set = 1; set < FIELD_SETS; set++) if ((set & PASSAGE_FIELDS) !== 0) having += counts[set]!
    if (having > 0) frequency.set(term, having)
  }
  return { passages: sumStatistics(segments).passages, frequency }
}
