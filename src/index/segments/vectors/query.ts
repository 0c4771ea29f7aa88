import { DotKernel } from './dot-kernel.ts'
import { BLOCK_ROWS, type VectorLayout } from './format.ts'
import { quantiseQuery } from './quantise.ts'

/** A query in whole numbers (quantise.ts). Its dense part is already set in the kernel. */
export interface VectorQuery {
  dense: Int16Array
  scale: number
  /** The components of the rest that aren't 0. */
  rest: { dimension: number; component: number }[]
  restScale: number
  /** The share of the rest in the query's squared length, 0 to 1. */
  restShare: number
  /** An upper bound of the dot product of the query with the low bytes of any vector. */
  lowBound: number
  kernel: DotKernel
}

const kernels = new Map<number, DotKernel>()

/** Returns null for a query without a direction. */
export function prepareQuery(vector: Float32Array, layout: VectorLayout): VectorQuery | null {
  const query = quantiseQuery(vector, layout)
  if (query === null) return null
  const { dense, scale, restScale } = query
  const stride = dense.length
  const kernel = kernels.get(stride) ?? new DotKernel(stride, BLOCK_ROWS)
  kernels.set(stride, kernel)
  kernel.setQuery(dense)
  const rest: VectorQuery['rest'] = []
  let restShare = 0
  for (const [dimension, component] of query.rest.entries()) {
    if (component === 0) continue
    rest.push({ dimension, component })
    restShare += (component * restScale) ** 2
  }
  // Cauchy–Schwarz: a dot product is at most the product of both lengths. No low byte exceeds 128. The last factor covers rounding.
  const length = Math.sqrt(dense.reduce((sum, component) => sum + component * component, 0))
  return { dense, scale, rest, restScale, restShare, kernel, lowBound: length * 128 * Math.sqrt(stride) * (1 + 1e-6) }
}
