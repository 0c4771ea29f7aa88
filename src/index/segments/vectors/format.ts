import type { SectionsOf } from '../sections.ts'

export interface VectorLayout {
  dimensions: number
  /** How many of the first dimensions are stored densely. The others are mostly 0 and stored sparsely. Equal to `dimensions` for most embedders. */
  denseDimensions: number
}

/** How many vectors a block has at most. A block is the unit of a scan: its rows fit into the processor's cache. */
export const BLOCK_ROWS = 256
export const NO_ROW = 2 ** 32 - 1
/** The signs of this many rows are stored together. */
export const SIGN_GROUP_ROWS = 32

/**
 * The sections of a file of vectors (segments/sections.ts describes the header). A vector's row is its number in the file. P is the number of passages, V
 * of vectors, F of vectors whose dense part isn't 0, B of blocks, and C of clusters. D is the number of dense dimensions, padded with zeros to a
 * multiple of 8. R is the number of the other dimensions, which the code calls the rest.
 *
 * - `summary`: P, number of dimensions, number of dense dimensions.
 * - `passages`: the passage of each row, V. `rows`: the row of each passage's vector, or `NO_ROW`, P.
 * - `blockEnds`: where each block of rows ends, B. Rows without a dense part are in blocks of their own, the last ones.
 * - `clusterEnds`: the block at which each cluster ends, C. A search scans some clusters, and always the blocks after the last cluster.
 * - `centroids`: 8-bit components of each cluster's centroid, C × D. `centroidScales`: 1 ÷ the length of each, C. `centroidLengths`: the mean dot
 *   product of a cluster's rows with the direction of the centroid, C.
 * - `signs`: whether each dense component is above that of the cluster's centroid of this mean length, one bit each, for the rows in clusters. The
 *   rows are in groups of `SIGN_GROUP_ROWS` (dot-kernel.wat describes a group). `signFactors`: the factor that turns a row's signs of ±1 into about
 *   the distance from that centroid. A search estimates a row's score from these, and reads the components only of rows that may be among the best.
 * - `high`, `low`: a dense component is a whole number of 16 bits, `256 × high + low`, in two planes of F × D. A search reads the plane `low` only of
 *   the best rows.
 * - `scales`: the factor that turns the whole numbers of a row's dense part into components of a vector of length 1, V. `restScales`: the same
 *   factor for the rest, V.
 * - `rest`: the rest in whole numbers of 8 bits, block by block, and dimension by dimension within a block. A dimension has a pair for each
 *   component that isn't 0: the row in the block (u8) and the component (i8). If pairs would not be shorter, it has one component for each row.
 * - `restEnds`: where each dimension ends in `rest`, R for each block.
 */
export const VECTORS = {
  magic: 'DSvc',
  version: 3,
  large: ['high', 'low', 'rest', 'signs'],
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
    centroidLengths: [14, 'f32'],
    signs: [15, 'i8'],
    signFactors: [16, 'f32'],
  },
} as const

export type VectorSections = SectionsOf<(typeof VECTORS)['sections']>

/** Returns the number of components of a dense row: a multiple of 8. */
export function strideOf({ denseDimensions }: VectorLayout): number {
  return Math.ceil(denseDimensions / 8) * 8
}

/** Returns the number of bytes that a group of signs takes. */
export function signGroupBytes(stride: number): number {
  return (SIGN_GROUP_ROWS * Math.ceil(stride / 16) * 16) / 8
}
