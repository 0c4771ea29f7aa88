import type { Candidate } from './fuse.ts'

/** The scores of a reranker by passage ID, 0 to 1, and how much each feature contributes to them. */
export interface ModelScores {
  scores: ReadonlyMap<string, number>
  features?: ReadonlyMap<string, Readonly<Record<string, number>>> | undefined
}

export interface NewScore {
  score: number
  /** How much each feature contributes to the score, when the reranker knows. */
  features?: Readonly<Record<string, number>> | undefined
}

/** Puts candidates with a new score first, best first. The others follow in their old order, with scores no higher. */
export function reorder(
  candidates: readonly Candidate[],
  newScoreOf: (candidate: Candidate) => NewScore | undefined,
): Candidate[] {
  const [first, rest]: [Candidate[], Candidate[]] = [[], []]
  for (const candidate of candidates) {
    const found = newScoreOf(candidate)
    if (found === undefined) {
      rest.push(candidate)
      continue
    }
    const score = Math.min(1, Math.max(0, found.score))
    const rerank = { rank: 0, score, ...(found.features && { features: found.features }) }
    first.push({ ...candidate, score, stages: { ...candidate.stages, rerank } })
  }
  first.sort((a, b) => b.score - a.score || a.stages.fused.rank - b.stages.fused.rank)
  for (const [i, { stages }] of first.entries()) stages.rerank!.rank = i + 1
  const maxScore = first.at(-1)?.score ?? 1
  return [...first, ...rest.map((candidate) => withScore(candidate, Math.min(maxScore, candidate.score)))]
}

/** Returns how `reorder` finds the scores of a model. */
export function byModel({ scores, features }: ModelScores): (candidate: Candidate) => NewScore | undefined {
  return ({ passage: { id } }) => {
    const score = scores.get(id)
    return score === undefined ? undefined : { score, features: features?.get(id) }
  }
}

export function withScore(candidate: Candidate, score: number): Candidate {
  return candidate.score === score ? candidate : { ...candidate, score }
}
