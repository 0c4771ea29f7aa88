interface Ranked {
  id: string
  /** Score of the order so far, 0 to 1. */
  score: number
}

/**
 * Weight of the score so far against the model's, by the rank so far: at the top many words agree, and one opinion should not
 * outweigh them; further down the model knows better. A common practice, not measured here.
 */
function retrievalShare(rank: number): number {
  if (rank <= 3) return 0.75
  return rank <= 10 ? 0.6 : 0.4
}

/** Above zero, so that each following score can be lower. */
const MIN_SCORE = 1e-6
const STEP = 1 - 1e-9

export interface Blended {
  scores: Map<string, number>
  /** How much each part contributes to the scores of the candidates that the model scored. */
  features: Map<string, { retrieval: number; model: number }>
}

/**
 * Returns final scores, 0 to 1, for all of `ranked` (best first). The candidates that the model scored swap places among
 * themselves, ordered by both scores; the others keep their places. Scores fall from place to place, so sorting by them gives this
 * order.
 */
export function blend(ranked: readonly Ranked[], modelScores: ReadonlyMap<string, number>): Blended {
  const features: Blended['features'] = new Map()
  const blended = ranked.flatMap(({ id, score }, i) => {
    const modelScore = modelScores.get(id)
    if (modelScore === undefined) return []
    const share = retrievalShare(i + 1)
    const parts = { retrieval: share * score, model: (1 - share) * modelScore }
    features.set(id, parts)
    return [{ id, score: parts.retrieval + parts.model }]
  })
  blended.sort((a, b) => b.score - a.score)
  const order = ranked.map((one) => (modelScores.has(one.id) ? blended.shift()! : one))
  let maxScore = 1
  const scores = new Map<string, number>()
  for (const { id, score } of order) {
    const final = Math.max(MIN_SCORE, Math.min(score, maxScore))
    maxScore = final * STEP
    scores.set(id, final)
  }
  return { scores, features }
}
