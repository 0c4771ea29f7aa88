import { DELETED } from '../merge.ts'
import { writeSections } from '../sections.ts'
import { NO_PLACE, VECTORS, type VectorLayout, type VectorSections } from './format.ts'
import { highByte, quantise } from './quantise.ts'
import type { SegmentVectors } from './segment-vectors.ts'

/**
 * Returns the file of the vectors of a segment's passages, in the order of the passages. A passage without a vector, or with one that has no
 * direction, is not found by vectors. Vectors may have any length; only their direction is stored.
 */
export function buildVectors(vectors: readonly (Float32Array | null)[], layout: VectorLayout): Uint8Array {
  const { dimensions } = layout
  const quantised = vectors.map((vector) => {
    if (vector !== null && vector.length !== dimensions) throw new RangeError(`a vector has ${vector.length} dimensions`)
    return vector === null ? null : quantise(vector)
  })
  const count = quantised.filter((vector) => vector !== null).length
  const sections = createSections({ dimensions, denseDimensions: dimensions }, vectors.length, count)
  let place = 0
  for (const [passage, vector] of quantised.entries()) {
    if (vector === null) continue
    sections.passages[place] = passage
    sections.places[passage] = place
    sections.scales[place] = vector.scale
    for (let i = 0, at = place * dimensions; i < dimensions; i++, at++) {
      const high = highByte(vector.components[i]!)
      sections.high[at] = high
      sections.low[at] = vector.components[i]! - 256 * high
    }
    place++
  }
  return writeSections(VECTORS, sections)
}

/**
 * Returns the vectors of a merged segment of `passages` passages. `numbers` has the new number of each of a source's passages, or `DELETED`, as
 * `mergeSegments` returns them. Vectors are copied as they are, so scores don't change.
 */
export function mergeVectors(
  sources: readonly { vectors: SegmentVectors; numbers: Uint32Array }[],
  passages: number,
): Uint8Array {
  const origins: { passage: number; vectors: SegmentVectors; place: number }[] = []
  for (const { vectors, numbers } of sources) {
    for (const [place, old] of vectors.sections.passages.entries()) {
      const passage = numbers[old]!
      if (passage !== DELETED) origins.push({ passage, vectors, place })
    }
  }
  origins.sort((a, b) => a.passage - b.passage)
  const layout = sources[0]?.vectors.layout ?? { dimensions: 0, denseDimensions: 0 }
  const { dimensions } = layout
  const sections = createSections(layout, passages, origins.length)
  for (const [to, { passage, vectors, place }] of origins.entries()) {
    sections.passages[to] = passage
    sections.places[passage] = to
    sections.scales[to] = vectors.sections.scales[place]!
    for (const plane of ['high', 'low'] as const) {
      const row = vectors.sections[plane].subarray(place * dimensions, (place + 1) * dimensions)
      sections[plane].set(row, to * dimensions)
    }
  }
  return writeSections(VECTORS, sections)
}

function createSections({ dimensions, denseDimensions }: VectorLayout, passages: number, count: number): VectorSections {
  return {
    summary: Float64Array.of(passages, dimensions, denseDimensions),
    passages: new Uint32Array(count),
    places: new Uint32Array(passages).fill(NO_PLACE),
    high: new Int8Array(count * denseDimensions),
    low: new Int8Array(count * denseDimensions),
    scales: new Float32Array(count),
  }
}
