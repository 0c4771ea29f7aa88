import { DELETED } from '../merge.ts'
import { BLOCK_ROWS, strideOf, type VectorLayout, NO_ROW, VECTORS, type VectorSections } from './format.ts'
import type { VectorOrigin, VectorSource } from './rest.ts'
import { highByte, quantiseVector } from './quantise.ts'
import { createRestTable, readRest, RestWriter, RestRows } from './rest.ts'
import type { SegmentVectors } from './segment-vectors.ts'
import { writeSections } from '../sections.ts'
import { clusterVectors } from './clusters.ts'
import { bytesForKernel } from './kernel-memory.ts'
import { signSections } from './signs.ts'

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

/** Returns a file of vectors, copied from their origins. `origins` is in the order of the passages. */
function writeVectors(origins: readonly VectorOrigin[], layout: VectorLayout, passages: number): Uint8Array {
  const stride = strideOf(layout)
  const dense = origins.filter(({ source, row }) => source.scales[row]! > 0)
  const others = origins.filter(({ source, row }) => source.scales[row] === 0)
  const clustered = clusterVectors(dense, stride)
  const { centroids, centroidScales, clusters } = clustered
  const blocks = new BlockList()
  const clusterEnds = clusters.map((cluster) => blocks.add(cluster))
  if (clusters.length === 0) blocks.add(dense)
  blocks.add(others)
  const ordered = blocks.origins
  const sections = {
    summary: Float64Array.of(passages, layout.dimensions, layout.denseDimensions),
    passages: Uint32Array.from(ordered, ({ passage }) => passage),
    rows: rowsOf(ordered, passages),
    blockEnds: Uint32Array.from(blocks.ends),
    clusterEnds: Uint32Array.from(clusterEnds),
    centroids,
    centroidScales,
    ...signSections(clustered, stride),
    high: copyPlane(ordered, dense.length, 'high', stride),
    low: copyPlane(ordered, dense.length, 'low', stride),
    scales: Float32Array.from(ordered, ({ source, row }) => source.scales[row]!),
    restScales: Float32Array.from(ordered, ({ source, row }) => source.restScales[row]!),
    ...writeRest(blocks, layout.dimensions - layout.denseDimensions),
  }
  return writeSections(VECTORS, sections, bytesForKernel)
}

/** Divides rows into blocks. */
class BlockList {
  readonly origins: VectorOrigin[] = []
  readonly ends: number[] = []

  /** Appends rows, starting a new block. Returns the number of blocks so far. */
  add(origins: readonly VectorOrigin[]): number {
    for (const [i, origin] of origins.entries()) {
      this.origins.push(origin)
      if ((i + 1) % BLOCK_ROWS === 0 || i + 1 === origins.length) this.ends.push(this.origins.length)
    }
    return this.ends.length
  }
}

function rowsOf(origins: readonly VectorOrigin[], passages: number): Uint32Array {
  const rows = new Uint32Array(passages).fill(NO_ROW)
  for (const [row, { passage }] of origins.entries()) rows[passage] = row
  return rows
}

function copyPlane(origins: readonly VectorOrigin[], count: number, plane: 'high' | 'low', stride: number): Int8Array {
  const copy = new Int8Array(count * stride)
  for (let to = 0; to < count; to++) {
    const { source, row } = origins[to]!
    copy.set(source[plane].subarray(row * stride, (row + 1) * stride), to * stride)
  }
  return copy
}

function writeRest({ origins, ends }: BlockList, dimensions: number): Pick<VectorSections, 'rest' | 'restEnds'> {
  const writer = new RestWriter(ends.length, dimensions)
  const table = createRestTable(dimensions)
  let start = 0
  for (const end of ends) {
    table.fill(0)
    for (let i = start; i < end; i++) {
      const { source, row } = origins[i]!
      source.rest.copy(row, table, i - start)
    }
    writer.add(table, end - start)
    start = end
  }
  return writer.sections()
}
