import { FIELD_COUNT, NAME_FIELD } from './format.ts'
import type { SegmentReader } from './segment-reader.ts'
import { rowOf } from './segment-row.ts'

/** The set of fields that are part of the passage: all but the document's name. */
const PASSAGE_FIELDS = (1 << FIELD_COUNT) - 1 - (1 << NAME_FIELD)

/**
 * Returns how many passages the segments have, and how many of these passages have each term in the title, headings or body. Deleted passages
 * don't count. A term that no passage has is missing from the map.
 */
export function termFrequencies(
  segments: readonly { reader: SegmentReader }[],
  terms: readonly string[],
): { passages: number; frequency: Map<string, number> } {
  const row = rowOf(segments)
  const frequency = new Map<string, number>()
  for (const text of new Set(terms)) {
    const having = row.frequency(row.find(text.toWellFormed()), PASSAGE_FIELDS)
    if (having > 0) frequency.set(text, having)
  }
  return { passages: row.statistics.passages, frequency }
}
