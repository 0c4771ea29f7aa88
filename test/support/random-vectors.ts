import fc from 'fast-check'
import type { Segment } from '../../src/index/segments/segment.ts'
import { buildVectors } from '../../src/index/segments/vectors/build.ts'
import type { VectorLayout } from '../../src/index/segments/vectors/format.ts'
import { SegmentVectors } from '../../src/index/segments/vectors/segment-vectors.ts'
import { seeded } from './seeded.ts'

/** Dense vectors, and vectors with a sparse rest like the built-in embedder's. */
export const layouts = fc.constantFrom<VectorLayout>(
  { dimensions: 1, denseDimensions: 1 },
  { dimensions: 8, denseDimensions: 8 },
  { dimensions: 37, denseDimensions: 37 },
  { dimensions: 384, denseDimensions: 384 },
  { dimensions: 1_024, denseDimensions: 1_024 },
  { dimensions: 60, denseDimensions: 20 },
  { dimensions: 1_024, denseDimensions: 256 },
)

/**
 * Returns the vector of a row, the same for the same row. Some rows have none, and many have equal ones, so that scores tie. In some vectors the rest
 * after the dense dimensions is mostly 0, in others it isn't, and in a few the dense dimensions are 0.
 */
export function vectorOfRow(row: bigint, { dimensions, denseDimensions }: VectorLayout): Float32Array | null {
  const kind = Number(row % 11n)
  if (kind === 0) return null
  const random = seeded(Number(row % 3n === 0n ? row % 50n : row & 0xffff_ffffn))
  const length = kind === 1 ? 1e-3 + 40 * random() : 1
  const restShare = kind < 8 ? 0.1 : 0.9
  return Float32Array.from({ length: dimensions }, (_, i) => {
    const isThere = i < denseDimensions ? kind !== 10 || denseDimensions === dimensions : random() < restShare
    return isThere ? (random() + random() - 1) * length : 0
  })
}

/** Returns the vectors of a segment's passages. */
export function vectorsOf(segment: Segment, layout: VectorLayout): SegmentVectors {
  const rows = [...segment.sections.rows]
  return new SegmentVectors(
    buildVectors(
      rows.map((row) => vectorOfRow(row, layout)),
      layout,
    ),
  )
}

export function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
