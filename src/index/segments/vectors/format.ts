import type { SectionsOf } from '../sections.ts'

export interface VectorLayout {
  dimensions: number
  /** The first dimensions are stored densely; the others, mostly 0, sparsely. Equal to `dimensions` for most embedders. */
  denseDimensions: number
}

/**
 * The sections of a file of vectors (sections.ts has the header). P passages, V vectors of D dense dimensions. A vector's place is its number
 * in the file; passages without a vector have no place.
 *
 * - `summary`: P, the number of dimensions, and D.
 * - `passages`: the passage of each vector, V. `places`: the place of each passage's vector, or `NO_PLACE`, P.
 * - `high`, `low`: a component is a whole number of 16 bits, `256 × high + low`, in two planes of D × V. A search reads the plane `high`,
 *   and the plane `low` only for the best.
 * - `scales`: 1 ÷ the length of each vector of whole numbers, V.
 */
export const VECTORS = {
  magic: 'DSvc',
  version: 1,
  sections: {
    summary: [1, 'f64'],
    passages: [2, 'u32'],
    places: [3, 'u32'],
    high: [4, 'i8'],
    low: [5, 'i8'],
    scales: [6, 'f32'],
  },
} as const

export type VectorSections = SectionsOf<(typeof VECTORS)['sections']>

export const NO_PLACE = 2 ** 32 - 1
