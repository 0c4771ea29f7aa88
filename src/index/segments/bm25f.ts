import { FIELD_COUNT, FIELDS, UNBOUNDED_FREQUENCY, type Field } from './format.ts'
import type { CollectionStatistics } from './segment-reader.ts'

export interface ScoringParameters {
  /** Controls how fast the score saturates when a term repeats. A higher value means that it saturates later. */
  k1: number
  /**
   * `weight` multiplies a field's frequencies and lengths; a field with weight 0 is not searched. `b` says how much the field's length counts,
   * from 0 to 1.
   */
  fields: Readonly<Record<Field, { weight: number; b: number }>>
}

/** BM25 over name, title, headings and body as one text. */
export const PLAIN_BM25: ScoringParameters = {
  k1: 1.2,
  fields: {
    body: { weight: 1, b: 0.75 },
    heading: { weight: 1, b: 0.75 },
    title: { weight: 1, b: 0.75 },
    name: { weight: 1, b: 0.75 },
  },
}

/** Adding this number and subtracting it again rounds a double below 2^19 to a multiple of 2^-32. */
const ROUNDING = 1.5 * 2 ** 20

/**
 * BM25F. With weights w, frequencies f and lengths l, all per field, the frequency of a term is F = Σ w·f, and its score is
 *
 *     idf · (k1 + 1) · F / (F + K)    with K = k1 · (1 + Σ b·w·(l - average l) / Σ w·(average l))
 *
 * With one `b` for all fields, this is BM25 over the fields as one text in which each field is repeated `w` times.
 *
 * Two properties make pruning exact, without any tolerance:
 * - The score is computed as `most / (1 + K / F)`. Each operation stays monotone after rounding. So the formula never gives less for a block's
 *   highest frequencies and shortest lengths than for any posting of the block.
 * - The score is rounded to a multiple of 2^-32. Sums of such numbers are exact, so they don't depend on the order of the terms.
 */
export class Bm25f {
  /** The weight of each field. */
  readonly weights: readonly number[]
  /** How much each term in a field adds to K, for each field. */
  readonly slopes: readonly number[]
  /** K for a passage without terms. */
  readonly base: number
  private readonly k1: number
  private readonly passages: number
  /** The set of fields whose weight is above 0. */
  readonly searched: number

  constructor({ k1, fields }: ScoringParameters, { passages, lengths }: CollectionStatistics) {
    this.k1 = k1
    this.passages = passages
    this.weights = FIELDS.map((field) => fields[field].weight)
    this.searched = this.weights.reduce((set, weight, f) => (weight > 0 ? set | (1 << f) : set), 0)
    const total = this.weights.reduce((sum, weight, f) => sum + weight * lengths[f]!, 0)
    const lengthWeights = FIELDS.map((field) => fields[field].b * fields[field].weight)
    this.slopes = lengthWeights.map((weight) => (total === 0 ? 0 : (k1 * weight * passages) / total))
    const share = total === 0 ? 0 : lengthWeights.reduce((sum, weight, f) => sum + weight * lengths[f]!, 0) / total
    this.base = Math.max(0, k1 * (1 - share))
  }

  /**
   * Returns the highest score that a term can reach. `having` is the number of passages with the term in a searched field, and `times` is how
   * often the query contains it. Returns 0 when no passage has the term.
   */
  most(having: number, times: number): number {
    const idf = Math.log(1 + (this.passages - having + 0.5) / (having + 0.5))
    return having === 0 ? 0 : times * idf * (this.k1 + 1)
  }

  /** Returns K for the lengths of a passage. Given the shortest lengths of a block of postings, returns the lowest K in the block. */
  slowness(lengths: Uint16Array, passageOrBlock: number): number {
    const { slopes } = this
    const at = passageOrBlock * FIELD_COUNT
    // Unrolled by hand, because a search spends most of its time here.
    return (
      this.base +
      slopes[0]! * lengths[at]! +
      slopes[1]! * lengths[at + 1]! +
      slopes[2]! * lengths[at + 2]! +
      slopes[3]! * lengths[at + 3]!
    )
  }

  /** Returns an upper bound of the scores in a block of postings. */
  bound(most: number, maxFrequencies: Uint8Array, minLengths: Uint16Array, block: number): number {
    let frequency = 0
    for (let f = 0; f < FIELD_COUNT; f++) {
      const max = maxFrequencies[block * FIELD_COUNT + f]!
      if (this.weights[f]! > 0 && max > 0) frequency += this.weights[f]! * (max === UNBOUNDED_FREQUENCY ? Infinity : max)
    }
    return frequency === 0 ? 0 : score(most, this.slowness(minLengths, block), frequency)
  }
}

/** Returns the score of a term whose weighted frequency is above 0. */
export function score(most: number, slowness: number, frequency: number): number {
  return rounded(most / (1 + slowness / frequency))
}

/** Rounds a score to a multiple of 2^-32. Stays monotone: a larger number never becomes smaller than a smaller one. */
export function rounded(value: number): number {
  return value + ROUNDING - ROUNDING
}
