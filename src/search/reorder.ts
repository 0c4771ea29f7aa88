import type { Candidate } from './fuse.ts'

/** The scores of a reranker by candidate id, 0 to 1, and how much each feature contributes to them. */
export interface ModelScores {
  scores: ReadonlyMap<string, number>
  features?: ReadonlyMap<string, Readonly<Record<string, number>>> | undefined
}

/** Puts candidates with a new score first, best first. The others follow in their old order, with scores no higher. */
export function reorder(candidates: readonly Candidate[], { scores, features }: ModelScores): Candidate[] {
  const explained = (id: string) => {
    const parts = features?.get(id)
    return parts === undefined ? {} : { features: parts }
  }
  const first = candidates
    .filter((candidate) => scores.has(candidate.id))
    .map((candidate) => ({ ...candidate, score: Math.min(1, Math.max(0, scores.get(candidate.id)!)) }))
    .sort((a, b) => b.score - a.score || a.stages.fused.rank - b.stages.fused.rank)
    .map((candidate, i) => {
      const { id, score, stages } = candidate
      return { ...candidate, stages: { ...stages, rerank: { rank: i + 1, score, ...explained(id) } } }
    })
  const maxScore = first.at(-1)?.score ?? 1
  const rest = candidates
    .filter((candidate) => !scores.has(candidate.id))
    .map((candidate) => ({ ...candidate, score: Math.min(maxScore, candidate.score) }))
  return [...first, ...rest]
}
