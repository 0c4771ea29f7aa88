export interface Ranked {
  id: string
  /** Of the order so far, 0 to 1. */
  score: number
}

/**
 * How much the score of retrieval counts beside the model's, by the rank so far: what many words agree on is not given up for one opinion,
 * and far down the model knows better. Taken from others' practice, not measured here.
 */
function shareOfRetrieval(rank: number): number {
  if (rank <= 3) return 0.75
  return rank <= 10 ? 0.6 : 0.4
}

/** A score of zero could not be lowered any more to keep an order. */
const LEAST = 1e-6
const STEP = 1 - 1e-9

export interface Blended {
  scores: Map<string, number>
  /** What either has in the score of those that were judged. */
  features: Map<string, { retrieval: number; model: number }>
}

/**
 * Final scores, 0 to 1, for all of `ranked` (best first). Those the model judged are put in order by both scores, in the places that they hold
 * together; the others stay where they are. Scores fall from place to place, so that sorting by them gives this order.
 */
export function blend(ranked: readonly Ranked[], judged: ReadonlyMap<string, number>): Blended {
  const features: Blended['features'] = new Map()
  const blended = ranked.flatMap(({ id, score }, i) => {
    const opinion = judged.get(id)
    if (opinion === undefined) return []
    const share = shareOfRetrieval(i + 1)
    const parts = { retrieval: share * score, model: (1 - share) * opinion }
    features.set(id, parts)
    return [{ id, score: parts.retrieval + parts.model }]
  })
  blended.sort((a, b) => b.score - a.score)
  const order = ranked.map((one) => (judged.has(one.id) ? blended.shift()! : one))
  let most = 1
  const scores = new Map<string, number>()
  for (const { id, score } of order) {
    const final = Math.max(LEAST, Math.min(score, most))
    most = final * STEP
    scores.set(id, final)
  }
  return { scores, features }
}
