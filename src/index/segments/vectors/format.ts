import type { SectionsOf } from '../sections.ts'

export interface VectorLayout {
  dimensions: number
  /** The first dimensions are stored densely; the others, mostly 0, sparsely. Equal to `dimensions` for most embedders. */
  denseDimensions: number
}

/** Most vectors per block. A block is the unit of a scan: its rows fit into the processor's cache. */
export const BLOCK_ROWS = 256
export const NO_ROW = 2 ** 32 - 1

/**
 * The sections of a file of vectors (sections.ts has the header). A vector's row is its number in the file. P passages, V vectors, F of which
 * have a dense part that isn't 0, D dense dimensions padded with zeros to a multiple of 8, R other dimensions ("the rest"), B blocks, C clusters.
 *
 * - `summary`: P, number of dimensions, number of dense dimensions.
 * - `passages`: the passage of each row, V. `rows`: the row of each passage's vector, or `NO_ROW`, P.
 * - `blockEnds`: where each block of rows ends, B. Rows without a dense part are in blocks of their own, the last ones.
 * - `clusterEnds`: where each cluster of blocks ends, C. A search scans some clusters, and the blocks after the last cluster always.
 * - `centroids`: 8-bit components of each cluster's centroid, C × D. `centroidScales`: 1 ÷ the length of each, C.
 * - `high`, `low`: a dense component is a whole number of 16 bits, `256 × high + low`, in two planes of F × D. A search reads the plane `high`,
 *   and the plane `low` only for the best.
 * - `scales`: what a dense component's whole number is multiplied with to get that of a vector of length 1, V. `restScales` for the rest, V.
 * - `rest`: the rest in whole numbers of 8 bits, block after block, in each block dimension after dimension: pairs of a row in the block (u8)
 *   and its component (i8), without zeros. When these would not be shorter, one component for each row.
 * - `restEnds`: where the dimensions end in `rest`, R for each block.
 */
export const VECTORS = {
  magic: 'DSvc',
  version: 2,
  large: ['high', 'low', 'rest'],
  sections: {
    summary: [1, 'f64'],
    passages: [2, 'u32'],
    rows: [3, 'u32'],
    blockEnds: [4, 'u32'],
    clusterEnds: [5, 'u32'],
    centroids: [6, 'i8'],
    centroidScales: [7, 'f32'],
    high: [8, 'i8'],
    low: [9, 'i8'],
    scales: [10, 'f32'],
    restScales: [11, 'f32'],
    rest: [12, 'i8'],
    restEnds: [13, 'u32'],
  },
} as const

export type VectorSections = SectionsOf<(typeof VECTORS)['sections']>

/** Returns the number of components of a dense row: a multiple of 8. */
export function strideOf({ denseDimensions }: VectorLayout): number {
  return Math.ceil(denseDimensions / 8) * 8
}
