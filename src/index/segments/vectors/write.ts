import { writeSections } from '../sections.ts'
import { clusterVectors } from './clusters.ts'
import { BLOCK_ROWS, NO_ROW, strideOf, VECTORS, type VectorLayout, type VectorSections } from './format.ts'
import { bytesForKernel } from './kernel-memory.ts'
import type { VectorOrigin } from './origin.ts'
import { createRestTable, RestWriter } from './rest-blocks.ts'
import { signSections } from './signs.ts'

/** Returns a file of vectors, copied from their origins. `origins` is in the order of the passages. */
export function writeVectors(origins: readonly VectorOrigin[], layout: VectorLayout, passages: number): Uint8Array {
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
