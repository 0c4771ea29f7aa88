/** How the cosine similarities of questions and passages that have nothing to do with them are spread. About a normal distribution. */
export interface UnrelatedSimilarity {
  mean: number
  deviation: number
}

/** Which passages a hybrid search drops as noise: those that share no word with the question and are hardly nearer to it than by chance. */
export interface NoiseFloor extends UnrelatedSimilarity {
  /** How many deviations a passage has to be above the highest similarity to expect by chance. */
  margin: number
  /** True when passages are dropped only for questions none of whose words occur, and for questions of nothing but identifiers. */
  onlyWithoutWords: boolean
}

/**
 * Returns the similarity that a passage has to exceed among `passages` passages. The largest of n normally distributed numbers is about √(2 ln n)
 * deviations above their mean.
 */
export function floorAmong(passages: number, { mean, deviation, margin }: NoiseFloor): number {
  return mean + (Math.sqrt(2 * Math.log(Math.max(2, passages))) + margin) * deviation
}

/**
 * The margins for a model whose similarity to unrelated passages was measured: for questions of words that nobody knows, and for questions of known words. bench/QUALITY.md
 * says how often nonsense finds a passage with them. An answer that has no word of its question can be hardly nearer than chance.
 */
const UNKNOWN_WORDS_MARGIN = 1.75
const KNOWN_WORDS_MARGIN = 0

/**
 * Returns the floor for a model whose similarity to unrelated passages was measured. It applies only to questions without any word in the searched documents, because the
 * similarities of other questions say more than this measurement.
 */
export function measuredFloor(unrelatedSimilarity: UnrelatedSimilarity, hasKnownWords: boolean): NoiseFloor {
  return { ...unrelatedSimilarity, margin: hasKnownWords ? KNOWN_WORDS_MARGIN : UNKNOWN_WORDS_MARGIN, onlyWithoutWords: true }
}
