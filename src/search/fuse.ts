import type { MatchedPassage } from '../index/segments/matched-passage.ts'
import type { SearchMode, Stage, Stages } from './search.ts'

/** A passage as ranking sees it. */
export type CandidatePassage = Omit<MatchedPassage, 'source'>

/** A passage that one channel has found: by keywords with its BM25, by vectors with its cosine similarity. */
export interface Hit {
  passage: CandidatePassage
  score: number
  /** See `Candidate`. Its keyword score is multiplied by this already. */
  wordFactor: number
}

/** A passage that may become a result, with its rank and score in each stage. */
export interface Candidate {
  passage: CandidatePassage
  /** 0 to 1. */
  score: number
  /** The vectors' part of the fused score. */
  vectorPart: number
  /** BM25 within the searched projects. 0 when the passage was not found by keywords. Answers have its fraction of the best instead. */
  keywordScore: number
  /** How much its words count: 1, and less when it is in another language than the question. */
  wordFactor: number
  /** True for what the question names exactly. It comes first, also when documents are ranked. */
  isExact?: boolean
  stages: Stages
}

/** Hits best first. A channel that was not searched is empty. */
export interface Channels {
  keyword: readonly Hit[]
  vector: readonly Hit[]
}

/**
 * Fuses two channels into one order. In hybrid mode it divides each channel's scores by the channel's best, squares the vectors' part,
 * multiplies that by the embedder's weight, and divides the sum by (1 + weight). Squared, because cosines lie close together: a passage
 * that has little to do with the question still gets half of the best cosine. Keyword mode divides by the best score; vector mode takes
 * the cosine.
 *
 * Equal weights and fusion by ranks made hybrid worse than its keyword channel alone. With this formula ties keep the keyword order,
 * and with a small weight vectors decide only between near equals.
 */
export function fuse({ keyword, vector }: Channels, mode: SearchMode, weight: number): Candidate[] {
  const found = new Map<number, Candidate>()
  const entry = ({ passage, wordFactor }: Hit) => {
    const { key } = passage
    let known = found.get(key)
    if (known === undefined) {
      const stages = { keyword: null, vector: null, fused: { rank: 0, score: 0 }, rerank: null, expansions: [], reserved: null }
      known = { passage, score: 0, vectorPart: 0, keywordScore: 0, wordFactor, stages }
      found.set(key, known)
    }
    return known
  }
  const bestKeyword = keyword[0]?.score ?? 0
  for (const [i, hit] of keyword.entries()) {
    const known = entry(hit)
    known.keywordScore = hit.score
    known.stages.keyword = { rank: i + 1, score: share(hit, bestKeyword) }
  }
  for (const [i, hit] of vector.entries()) {
    const { score } = hit
    // A cosine of 0 or less means nothing in common. In vector mode the nearest passages count all the same.
    if (score > 0 || mode === 'vector') entry(hit).stages.vector = { rank: i + 1, score: Math.min(1, Math.max(0, score)) }
  }
  const bestVector = Math.min(1, vector[0]?.score ?? 0)
  const fused = [...found.values()]
  for (const candidate of fused) {
    const { stages } = candidate
    if (mode === 'vector') candidate.vectorPart = stages.vector?.score ?? 0
    else if (mode === 'hybrid') candidate.vectorPart = (weight * share(stages.vector, bestVector) ** 2) / (1 + weight)
    const words = mode === 'vector' ? 0 : (stages.keyword?.score ?? 0)
    candidate.score = (mode === 'hybrid' ? words / (1 + weight) : words) + candidate.vectorPart
  }
  fused.sort(
    (a, b) =>
      b.score - a.score || rank(a.stages.keyword) - rank(b.stages.keyword) || rank(a.stages.vector) - rank(b.stages.vector),
  )
  for (const [i, { stages, score }] of fused.entries()) stages.fused = { rank: i + 1, score }
  return fused
}

function share(stage: Pick<Stage, 'score'> | null, best: number): number {
  return stage === null || best <= 0 ? 0 : Math.min(1, stage.score / best)
}

function rank(stage: Stage | null): number {
  return stage?.rank ?? Number.MAX_SAFE_INTEGER
}

/**
 * Adds the candidates of a deeper look. Known candidates keep their places, and new ones follow with scores no higher, so that result
 * page 2 neither repeats nor skips what page 1 had.
 */
export function append(known: readonly Candidate[], deeper: readonly Candidate[]): Candidate[] {
  const keys = new Set(known.map(({ passage }) => passage.key))
  const maxScore = known.at(-1)?.score ?? 1
  const added = deeper
    .filter(({ passage }) => !keys.has(passage.key))
    .map((candidate, i) => {
      const score = Math.min(maxScore, candidate.score)
      return { ...candidate, score, stages: { ...candidate.stages, fused: { rank: known.length + i + 1, score } } }
    })
  return [...known, ...added]
}
