import type { VectorSections } from './format.ts'
import type { RestRows } from './rest-rows.ts'

/** Quantised vectors, some of which are copied into a new file. */
export type VectorSource = Pick<VectorSections, 'high' | 'low' | 'scales' | 'restScales'> & { rest: RestRows }

/** Where the vector of a passage comes from. `passage` is its number in the new file. */
export interface VectorOrigin {
  passage: number
  source: VectorSource
  row: number
}
