import { hasBit } from '../bitmap.ts'
import type { SearchedSegment } from '../search.ts'
import { type SegmentHit, TopHits } from '../top-hits.ts'
import { quantise, type Quantised } from './quantise.ts'
import type { SegmentVectors } from './segment-vectors.ts'

export type SearchedVectors = SearchedSegment & { vectors: SegmentVectors }

/**
 * Returns the passages whose vectors have the highest cosines with the query, best first. Passages without a vector are not found, and nothing is
 * for a query without a direction. A passage's score depends on its own vector and on the query alone.
 */
export function searchVectors(segments: readonly SearchedVectors[], query: Float32Array, limit: number): SegmentHit[] {
  const top = new TopHits(
    limit,
    segments.map(({ reader }) => reader.segment),
  )
  const quantised = quantise(query)
  if (quantised === null || limit <= 0) return []
  for (const [i, segment] of segments.entries()) scan(segment, i, quantised, top)
  return top.sorted()
}

function scan({ reader, allowed, vectors }: SearchedVectors, segment: number, query: Quantised, top: TopHits): void {
  const { passages, high, low, scales } = vectors.sections
  const { components, scale } = query
  const { dimensions } = vectors.layout
  if (vectors.count > 0 && dimensions !== components.length)
    throw new RangeError(`the query has ${components.length} dimensions, not ${dimensions}`)
  const deleted = reader.deletions.bits
  for (let place = 0; place < passages.length; place++) {
    const passage = passages[place]!
    if (hasBit(deleted, passage) || (allowed !== null && !hasBit(allowed, passage))) continue
    let sum = 0
    for (let i = 0, at = place * dimensions; i < dimensions; i++, at++) sum += components[i]! * (256 * high[at]! + low[at]!)
    const score = sum * scales[place]! * scale
    if (score >= top.threshold) top.add({ segment, passage, score })
  }
}
