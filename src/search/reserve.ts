import type { Candidate } from './fuse.ts'

/** How many of the nearest passages can get a reserved place. On every judged collection, too few of the passages after them are right. */
const MAX_NEAREST = 5
/**
 * The reserved places begin with the third, or with the second when the passage there has less than half of the question's words.
 * They end with this one.
 */
const LAST_PLACE = 5
const HALF = 0.5

/** Returns for each candidate the share of the question's words that it has, 0 to 1. */
type Shares = (candidates: readonly Candidate[]) => number[]

/**
 * Moves the passages that are nearest by meaning, but have no word of the question, into the first five places. The fused order hides
 * them, because any passage with a stray word of the question scores higher. The order stays when one of the best passages has all
 * words of the question, as with names, numbers and quoted phrases. It works the same for every embedder, and no judged collection got
 * worse.
 */
export function reserve(candidates: readonly Candidate[], sharesOf: Shares): readonly Candidate[] {
  if (!candidates.some(({ stages }) => stages.keyword !== null)) return candidates
  const nearest = candidates
    .filter(({ stages }, i) => i > 0 && stages.keyword === null && stages.vector !== null)
    .filter(({ stages }) => stages.vector!.rank <= MAX_NEAREST)
    .toSorted((a, b) => a.stages.vector!.rank - b.stages.vector!.rank)
  if (nearest.length === 0) return candidates
  const best = candidates.slice(0, LAST_PLACE)
  const looked = [...best, ...nearest]
  const shares = new Map(sharesOf(looked).map((one, i) => [looked[i]!, one]))
  const share = (candidate: Candidate) => shares.get(candidate)!
  if (best.some((candidate) => share(candidate) === 1)) return candidates
  const first = share(candidates[1]!) < HALF ? 2 : 3
  const waiting = nearest
    // Keyword search returns only its best passages, so a passage that it did not return may still have a word of the question.
    .filter((candidate) => share(candidate) === 0 && candidates.indexOf(candidate) >= first - 1)
    .slice(0, LAST_PLACE - first + 1)
  if (waiting.length === 0) return candidates
  const { score } = candidates[first - 1]!
  const placed = waiting.map((candidate, i): Candidate => {
    const reason = `Rank ${candidate.stages.vector!.rank} by meaning; it has no word of the question.`
    return { ...candidate, score, stages: { ...candidate.stages, reserved: { rank: first + i, reason } } }
  })
  const moved = new Set(waiting)
  const others = candidates.filter((candidate) => !moved.has(candidate))
  return [...others.slice(0, first - 1), ...placed, ...others.slice(first - 1)]
}
