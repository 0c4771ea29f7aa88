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

/**
 * Final scores, 0 to 1, for all of `ranked` (best first). Those the model judged are put in order by both scores, in the places that they hold
 * together; the others stay where they are. Scores fall from place to place, so that sorting by them gives this order.
 */
export function blend(ranked: readonly Ranked[], judged: ReadonlyMap<string, number>): Map<string, number> {
  const blended = ranked.flatMap(({ id, score }, i) => {
    const opinion = judged.get(id)
    if (opinion === undefined) return []
    const share = shareOfRetrieval(i + 1)
    return [{ id, score: share * score + (1 - share) * opinion }]
  })
  blended.sort((a, b) => b.score - a.score)
  const order = ranked.map((one) => (judged.has(one.id) ? blended.shift()! : one))
  let most = 1
  return new Map(
    order.map(({ id, score }) => {
      const final = Math.max(LEAST, Math.min(score, most))
      most = final * STEP
      return [id, final]
    }),
  )
}
