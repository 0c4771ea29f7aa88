import type { VectorSections } from './format.ts'
import type { RestRows } from './rest-rows.ts'

/** Quantised vectors, from which some rows go into a new file. */
export type VectorSource = Pick<VectorSections, 'high' | 'low' | 'scales' | 'restScales'> & { rest: RestRows }

/** Where the vector of a passage of the new file is. */
export interface VectorOrigin {
  passage: number
  source: VectorSource
  row: number
}
