import {
  coverage,
  type Finds,
  fullCoverage,
  pairScore,
  proximityScore,
  type Saturate,
  type Sought,
  titleCoverage,
  titleShare,
  windowCoverage,
} from './features.ts'

/** The constants of BM25: `K1` controls how fast repetition saturates, `B` how much a passage's length counts. */
const K1 = 1.2
const B = 0.75
/** How many terms at the start of the text count as the opening of a passage. */
const OPENING = 25

/**
 * Weights of the features that are added to BM25, all in its unit: a sum of idf. Round numbers on purpose: a search for finer ones, each
 * time without one of the judged collections, did worse on that collection than the round start (mean nDCG@10 .675 against .680).
 */
const WEIGHTS = {
  /** Neighbouring words of the question that are neighbours in the passage. */
  pairs: 0.3,
  /** How close together the question's words stand, neighbours or not. */
  proximity: 0.2,
  /** The question's words in the document's name, the title and the headings. */
  title: 0.3,
  /** The share of title and headings that the question names. */
  title_share: 0.05,
  /** The question's words anywhere in the passage or in the document's name. */
  coverage: 0.2,
  /** The most of the question's words within 60, 15 or 8 terms. */
  window_60: 0.15,
  window_15: 0.5,
  window_8: 0.5,
  /** The question's words in the opening: texts say first what they are about. */
  opening: 0.2,
} as const

type WordFeatures = Record<keyof typeof WEIGHTS | 'bm25', number>
type Features = WordFeatures & { vector: number }

const ADDED_FEATURES = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]
const WORD_FEATURES = ['bm25', ...ADDED_FEATURES] as const

/** A passage as the built-in reranker sees it. */
export interface WordCandidate {
  /** Where it contains the question's words. */
  finds: Finds
  /** Fused score, 0 to 1. */
  score: number
  /** The vectors' part of `score`. The rest comes from the keywords. */
  vectorPart: number
  /** BM25, multiplied by `wordFactor`. 0 when the passage was not found by keywords. */
  keywordScore: number
  /** How much its words count, 0 to 1. */
  wordFactor: number
}

export interface WordScore {
  /** From 0 to 1. */
  score: number
  /** How much each feature contributes to the score. */
  features: Features
}

/**
 * Scores passages by where they contain the question's words: next to each other, close together, in the title, in the opening. It needs
 * neither a model nor the texts. The vectors' part of each score stays in it. Returns the scores in the order of the candidates, or null when
 * keyword search found none of them, so that there is nothing to compare.
 */
export function rerankByWords(candidates: readonly WordCandidate[], sought: Sought): WordScore[] | null {
  if (!candidates.some(({ keywordScore }) => keywordScore > 0)) return null
  const average = candidates.reduce((sum, { finds }) => sum + finds.length, 0) / candidates.length
  const measured = candidates.map((candidate) => featuresOf(candidate, sought, average))
  // As in fusion: the best passage gets all of the score that the vectors leave, the others their share of it.
  const maxSum = Math.max(...measured.map(sumOf))
  const room = Math.max(...candidates.map(({ score, vectorPart }) => score - vectorPart))
  return measured.map((parts, i) => {
    const features: Features = { ...parts, vector: 0 }
    for (const name of WORD_FEATURES) features[name] = (room * parts[name]) / maxSum
    const { vectorPart } = candidates[i]!
    features.vector = vectorPart
    return { score: Math.min(1, sumOf(features) + vectorPart), features }
  })
}

/** Returns the weighted features of a passage, without the vectors' part. */
function featuresOf({ finds, keywordScore, wordFactor }: WordCandidate, sought: Sought, averageLength: number): WordFeatures {
  const { length, titleLength } = finds
  const slow = K1 * (1 - B + (B * length) / averageLength)
  const saturate: Saturate = (count) => (count * (K1 + 1)) / (count + slow)
  const features: WordFeatures = {
    bm25: keywordScore,
    pairs: WEIGHTS.pairs * pairScore(finds, sought, saturate),
    proximity: WEIGHTS.proximity * proximityScore(finds, sought, saturate),
    title: WEIGHTS.title * titleCoverage(finds, sought),
    title_share: WEIGHTS.title_share * titleShare(finds) * sought.total,
    coverage: WEIGHTS.coverage * fullCoverage(finds, sought),
    window_60: WEIGHTS.window_60 * windowCoverage(finds, sought, 60),
    window_15: WEIGHTS.window_15 * windowCoverage(finds, sought, 15),
    window_8: WEIGHTS.window_8 * windowCoverage(finds, sought, 8),
    opening: WEIGHTS.opening * coverage(finds, sought, titleLength, titleLength + OPENING),
  }
  for (const name of ADDED_FEATURES) features[name] *= wordFactor
  return features
}

/** Adds up the features that come from words. */
function sumOf(parts: Readonly<WordFeatures>): number {
  let sum = 0
  for (const name of WORD_FEATURES) sum += parts[name]
  return sum
}
