import { DELETED } from '../merge.ts'
import { BLOCK_ROWS, strideOf, type VectorLayout } from './format.ts'
import type { VectorOrigin, VectorSource } from './origin.ts'
import { highByte, quantiseVector } from './quantise.ts'
import { createRestTable, readRest } from './rest-blocks.ts'
import { RestRows } from './rest-rows.ts'
import type { SegmentVectors } from './segment-vectors.ts'
import { writeVectors } from './write.ts'

/**
 * Returns a file with the vectors of a segment's passages. `vectors` is in the order of the passages. Vectors may have any length; the file has
 * only their directions. Vector search never finds a passage whose vector is null or has no direction (quantise.ts).
 */
export function buildVectors(vectors: readonly (Float32Array | null)[], layout: VectorLayout): Uint8Array {
  const stride = strideOf(layout)
  const source: VectorSource = {
    high: new Int8Array(vectors.length * stride),
    low: new Int8Array(vectors.length * stride),
    scales: new Float32Array(vectors.length),
    restScales: new Float32Array(vectors.length),
    rest: new RestRows(layout.dimensions - layout.denseDimensions),
  }
  const origins: VectorOrigin[] = []
  for (const [passage, vector] of vectors.entries()) {
    const quantised = vector === null ? null : quantiseVector(vector, layout)
    if (quantised === null) continue
    const row = origins.length
    origins.push({ passage, source, row })
    const { dense } = quantised
    for (let i = 0, at = row * stride; i < stride; i++, at++) {
      const high = highByte(dense[i]!)
      source.high[at] = high
      source.low[at] = dense[i]! - 256 * high
    }
    source.scales[row] = quantised.scale
    source.restScales[row] = quantised.restScale
    source.rest.add(quantised.rest)
  }
  return writeVectors(origins, layout, vectors.length)
}

/**
 * Returns a file with the vectors of a merged segment, which has `passages` passages. `numbers` has the new number of each passage of a source, or
 * `DELETED`, as returned by `mergeSegments`. Copies quantised vectors, so scores don't change. `buildVectors` would make the same bytes.
 */
export function mergeVectors(
  sources: readonly { vectors: SegmentVectors; numbers: Uint32Array }[],
  passages: number,
): Uint8Array {
  const origins: VectorOrigin[] = []
  for (const { vectors, numbers } of sources) {
    const { high, low, scales, restScales } = vectors.sections
    const source = { high, low, scales, restScales, rest: restRowsOf(vectors) }
    for (const [row, old] of vectors.sections.passages.entries()) {
      const passage = numbers[old]!
      if (passage !== DELETED) origins.push({ passage, source, row })
    }
  }
  origins.sort((a, b) => a.passage - b.passage)
  return writeVectors(origins, sources[0]?.vectors.layout ?? { dimensions: 0, denseDimensions: 0 }, passages)
}

function restRowsOf(vectors: SegmentVectors): RestRows {
  const rest = new RestRows(vectors.restDimensions)
  const table = createRestTable(vectors.restDimensions)
  for (let block = 0; block < vectors.sections.blockEnds.length; block++) {
    const rows = vectors.sections.blockEnds[block]! - vectors.blockStart(block)
    table.fill(0)
    readRest(vectors.sections, block, rows, table)
    for (let row = 0; row < rows; row++) rest.add(table, row, BLOCK_ROWS)
  }
  return rest
}
