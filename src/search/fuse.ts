import type { PassageHit } from '../index/chunk-index.ts'
import type { SearchMode, Stage, Stages } from './search.ts'

/** A passage that may become a result, with its rank and score in each stage. */
export interface Candidate {
  id: string
  /** Where the store of passages has its texts. */
  row: bigint
  documentId: string
  version: number
  /** The passage's place within its document. */
  index: number
  pageStart: number
  pageEnd: number
  /** Equal for passages with the same text. */
  textHash: string
  /** 0 to 1. */
  score: number
  /** The vectors' part of the fused score. */
  vectorPart: number
  /** BM25 within the searched projects. 0 when the passage was not found by keywords. Answers have its fraction of the best instead. */
  keywordScore: number
  stages: Stages
}

/** Hits best first. A channel that was not searched is empty. */
export interface Channels {
  keyword: readonly PassageHit[]
  vector: readonly PassageHit[]
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
  const found = new Map<string, Omit<Candidate, 'score' | 'vectorPart'>>()
  const entry = (hit: PassageHit) => {
    let known = found.get(hit.id)
    if (known === undefined) {
      const { id, row, documentId, version, index, pageStart, pageEnd, textHash } = hit
      known = {
        id,
        row,
        documentId,
        version,
        index,
        pageStart,
        pageEnd,
        textHash,
        keywordScore: 0,
        stages: { keyword: null, vector: null, fused: { rank: 0, score: 0 }, rerank: null, reserved: null },
      }
      found.set(hit.id, known)
    }
    return known
  }
  const bestKeyword = keyword[0]?.score ?? 0
  keyword.forEach((hit, i) => {
    const known = entry(hit)
    known.keywordScore = hit.score
    known.stages.keyword = { rank: i + 1, score: share(hit, bestKeyword) }
  })
  vector.forEach((hit, i) => {
    // A cosine of 0 or less means nothing in common. In vector mode the nearest passages count all the same.
    if (hit.score > 0 || mode === 'vector') entry(hit).stages.vector = { rank: i + 1, score: Math.min(1, Math.max(0, hit.score)) }
  })
  const bestVector = Math.min(1, vector[0]?.score ?? 0)
  const parts = ({ stages }: Pick<Candidate, 'stages'>): { words: number; vectorPart: number } => {
    const words = stages.keyword?.score ?? 0
    if (mode === 'keyword') return { words, vectorPart: 0 }
    if (mode === 'vector') return { words: 0, vectorPart: stages.vector?.score ?? 0 }
    return { words: words / (1 + weight), vectorPart: (weight * share(stages.vector, bestVector) ** 2) / (1 + weight) }
  }
  const fused = [...found.values()].map((candidate) => {
    const { words, vectorPart } = parts(candidate)
    return { ...candidate, score: words + vectorPart, vectorPart }
  })
  fused.sort(
    (a, b) =>
      b.score - a.score || rank(a.stages.keyword) - rank(b.stages.keyword) || rank(a.stages.vector) - rank(b.stages.vector),
  )
  fused.forEach((candidate, i) => (candidate.stages.fused = { rank: i + 1, score: candidate.score }))
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
  const ids = new Set(known.map((candidate) => candidate.id))
  const maxScore = known.at(-1)?.score ?? 1
  const added = deeper
    .filter((candidate) => !ids.has(candidate.id))
    .map((candidate, i) => {
      const score = Math.min(maxScore, candidate.score)
      return { ...candidate, score, stages: { ...candidate.stages, fused: { rank: known.length + i + 1, score } } }
    })
  return [...known, ...added]
}
