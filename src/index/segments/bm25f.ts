import { FIELD_COUNT, FIELDS, UNBOUNDED_FREQUENCY, type Field } from './format.ts'
import type { CollectionStatistics } from './segment-reader.ts'

export interface ScoringParameters {
  /** How slowly repetition saturates. */
  k1: number
  /** `weight` multiplies a field's frequencies and lengths; a field with 0 is not searched. `b` is how much its length counts, 0 to 1. */
  fields: Readonly<Record<Field, { weight: number; b: number }>>
}

/** BM25 over title, headings and body as one text. */
export const PLAIN_BM25: ScoringParameters = {
  k1: 1.2,
  fields: {
    body: { weight: 1, b: 0.75 },
    heading: { weight: 1, b: 0.75 },
    title: { weight: 1, b: 0.75 },
    name: { weight: 0, b: 0.75 },
  },
}

/** Adding and subtracting this rounds a double below 2^19 to a multiple of 2^-32. */
const ROUNDING = 1.5 * 2 ** 20

/**
 * BM25F. With weights w, frequencies f and lengths l, all per field, the frequency of a term is F = Σ w·f, and its score is
 *
 *     idf · (k1 + 1) · F / (F + K)    with K = k1 · (1 + Σ b·w·(l - average l) / Σ w·(average l))
 *
 * With one `b` for all fields, this is BM25 over the fields as one text in which each field is repeated `w` times.
 *
 * Two properties make pruning exact, without any tolerance:
 * - The score is computed as `most / (1 + K / F)`. Each operation is monotone also after rounding, so the same formula over the highest
 *   frequencies and shortest lengths of a block is never below a score of the block.
 * - It is rounded to a multiple of 2^-32. Sums of such numbers are exact, so they don't depend on the order of the terms.
 */
export class Bm25f {
  /** For each field, its weight. */
  readonly weights: readonly number[]
  /** For each field, what one term of its length adds to K. */
  readonly slopes: readonly number[]
  /** K of a passage without terms. */
  readonly base: number
  private readonly k1: number
  private readonly passages: number
  /** The fields with a weight, as a set. */
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

  /** Returns the most that a term can score, from the number of passages that have it in a searched field. 0 when none has. */
  most(having: number, times: number): number {
    const idf = Math.log(1 + (this.passages - having + 0.5) / (having + 0.5))
    return having === 0 ? 0 : times * idf * (this.k1 + 1)
  }

  /** Returns K for the lengths of a passage or, for the lowest K, of a block of postings. */
  slowness(lengths: Uint16Array, passageOrBlock: number): number {
    const { slopes } = this
    const at = passageOrBlock * FIELD_COUNT
    // Without a loop, because this is most of a search.
    return (
      this.base +
      slopes[0]! * lengths[at]! +
      slopes[1]! * lengths[at + 1]! +
      slopes[2]! * lengths[at + 2]! +
      slopes[3]! * lengths[at + 3]!
    )
  }

  /** Returns the highest score of a block of postings. */
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
  return most / (1 + slowness / frequency) + ROUNDING - ROUNDING
}
