import { hasBit } from '../bitmap.ts'
import type { SearchedSegment } from '../search.ts'
import { type SegmentHit, TopHits } from '../top-hits.ts'
import { Candidates } from './candidates.ts'
import { DotKernel } from './dot-kernel.ts'
import { BLOCK_ROWS, type VectorLayout } from './format.ts'
import { quantiseQuery } from './quantise.ts'
import { addRest } from './rest-blocks.ts'
import type { SegmentVectors } from './segment-vectors.ts'

export type SearchedVectors = SearchedSegment & { vectors: SegmentVectors }

/** A query in whole numbers (quantise.ts). */
interface Query {
  dense: Int16Array
  scale: number
  /** The dimensions of the rest that aren't 0. */
  rest: { dimension: number; component: number }[]
  restScale: number
  /** The product of the query with the low bytes of a vector is at most this. */
  lowBound: number
  kernel: DotKernel
}

/**
 * Returns the passages whose vectors have the highest cosines with the query, best first. Passages without a vector are not found, and a query
 * without a direction finds nothing. A passage's score depends on its own vector and on the query alone.
 */
export function searchVectors(segments: readonly SearchedVectors[], query: Float32Array, limit: number): SegmentHit[] {
  const first = segments.find(({ vectors }) => vectors.count > 0)
  const prepared = first === undefined || limit <= 0 ? null : prepare(query, first.vectors.layout)
  if (prepared === null) return []
  const candidates = new Candidates(limit)
  for (const [i, segment] of segments.entries()) scanSegment(segment, i, prepared, candidates)
  const top = new TopHits(
    limit,
    segments.map(({ reader }) => reader.segment),
  )
  for (const i of candidates.remaining()) {
    const [segment, row] = [candidates.segments[i]!, candidates.rows[i]!]
    const { vectors } = segments[segment]!
    const dense = 256 * candidates.high[i]! + lowProduct(vectors, row, prepared)
    const score = scoreOf(vectors, row, dense, candidates.rest[i]!, prepared)
    top.add({ segment, passage: vectors.sections.passages[row]!, score })
  }
  return top.sorted()
}

const kernels = new Map<number, DotKernel>()

function prepare(vector: Float32Array, layout: VectorLayout): Query | null {
  const query = quantiseQuery(vector, layout)
  if (query === null) return null
  const { dense, scale, restScale } = query
  const stride = dense.length
  const kernel = kernels.get(stride) ?? new DotKernel(stride, BLOCK_ROWS)
  kernels.set(stride, kernel)
  kernel.setQuery(dense)
  const rest = Array.from(query.rest, (component, dimension) => ({ dimension, component })).filter(
    ({ component }) => component !== 0,
  )
  // Cauchy–Schwarz: no product is above the product of the lengths. A low byte is at most 128. A little more covers rounding.
  const length = Math.sqrt(dense.reduce((sum, component) => sum + component * component, 0))
  return { dense, scale, rest, restScale, kernel, lowBound: length * 128 * Math.sqrt(stride) * (1 + 1e-6) }
}

function scanSegment(searched: SearchedVectors, segment: number, query: Query, candidates: Candidates): void {
  const { vectors } = searched
  for (let block = 0; block < vectors.sections.blockEnds.length; block++) scanBlock(searched, segment, block, query, candidates)
}

const NOTHING = new Int32Array(BLOCK_ROWS)
const restSums = new Int32Array(BLOCK_ROWS)

function scanBlock(
  { reader, allowed, vectors }: SearchedVectors,
  segment: number,
  block: number,
  query: Query,
  candidates: Candidates,
): void {
  const { sections, stride, denseCount } = vectors
  const { scales, passages } = sections
  const [start, end] = [vectors.blockStart(block), sections.blockEnds[block]!]
  const hasDense = start < denseCount && query.scale > 0
  if (hasDense) query.kernel.load(sections.high.subarray(start * stride, end * stride))
  const high = hasDense ? query.kernel.dots(0, end - start) : NOTHING
  const rest = sumRest(vectors, block, end - start, query)
  const deleted = reader.deletions.bits
  for (let row = start; row < end; row++) {
    const products = { high: high[row - start]!, rest: rest[row - start]! }
    const score = scoreOf(vectors, row, 256 * products.high, products.rest, query)
    const error = hasDense ? query.lowBound * scales[row]! * query.scale : 0
    if (score + error < candidates.threshold) continue
    const passage = passages[row]!
    if (hasBit(deleted, passage) || (allowed !== null && !hasBit(allowed, passage))) continue
    candidates.add(segment, row, products, score - error, score + error)
  }
}

/** Returns the products of the query's rest with those of a block's rows. */
function sumRest(vectors: SegmentVectors, block: number, rows: number, { rest }: Query): Int32Array {
  if (rest.length === 0 || vectors.restDimensions === 0) return NOTHING
  restSums.fill(0, 0, rows)
  const first = block * vectors.restDimensions
  for (const { dimension, component } of rest) addRest(vectors.sections, { at: first + dimension, rows }, component, restSums)
  return restSums
}

function scoreOf({ sections }: SegmentVectors, row: number, dense: number, rest: number, query: Query): number {
  return dense * sections.scales[row]! * query.scale + rest * sections.restScales[row]! * query.restScale
}

function lowProduct({ sections, stride, denseCount }: SegmentVectors, row: number, { dense, scale }: Query): number {
  if (row >= denseCount || scale === 0) return 0
  let sum = 0
  for (let i = 0, at = row * stride; i < stride; i++, at++) sum += dense[i]! * sections.low[at]!
  return sum
}
