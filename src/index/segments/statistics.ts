import { FIELD_COUNT, NAME_FIELD } from './format.ts'
import type { CollectionStatistics, SegmentReader } from './segment-reader.ts'
import { termOf } from './term-dictionary.ts'

/** The fields whose words are in the passage itself. */
const PASSAGE_FIELDS = (1 << FIELD_COUNT) - 1 - (1 << NAME_FIELD)

/** Returns the sums of the statistics of several segments. */
export function sumStatistics(segments: readonly { reader: SegmentReader }[]): CollectionStatistics {
  const sum: CollectionStatistics = { passages: 0, lengths: new Array<number>(FIELD_COUNT).fill(0) }
  for (const { reader } of segments) {
    sum.passages += reader.statistics.passages
    for (let f = 0; f < FIELD_COUNT; f++) sum.lengths[f]! += reader.statistics.lengths[f]!
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
  for (const text of new Set(terms)) {
    const term = termOf(text)
    let having = 0
    for (const { reader } of segments) {
      const place = reader.segment.terms.find(term)
      if (place > 0) having += reader.frequency(place, PASSAGE_FIELDS)
    }
    if (having > 0) frequency.set(text, having)
  }
  return { passages: sumStatistics(segments).passages, frequency }
}
