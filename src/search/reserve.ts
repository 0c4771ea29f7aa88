import type { Candidate } from './fuse.ts'

/** The reserved places end with this one. */
const LAST_PLACE = 5
/** This many of these places are reserved even if the passages there have most words of the question. */
const ALWAYS_RESERVED = 3
/** How far down in the order by meaning, and how far below the best similarity, a passage can get a reserved place. */
const MAX_RANK = 10
const MIN_SIMILARITY = 0.7
/** A passage with this share of the question's words gives way to no other before `ALWAYS_RESERVED`. In the first place half is enough. */
const MOST = 2 / 3
const HALF = 1 / 2
/** A passage in the first place gives way only to a passage that is this much nearer. */
const MUCH_NEARER = 1 / 0.8
/** A passage this near to the best similarity is about what the question means. */
const NEAR = 0.95

/** Returns for each candidate the share of the question's words that it has, 0 to 1. */
type Shares = (candidates: readonly Candidate[]) => number[]

/**
 * Moves the passages that are nearest by meaning, but have no word of the question, into the first five places. The fused order hides
 * them, because any passage with a stray word of the question scores higher.
 *
 * The order stays when one of the best passages has most words of the question and is among the nearest as well. In a large library, some
 * passage has all words of almost any short question, so words alone are not enough. Otherwise, a passage gives way to one that is nearer in
 * meaning if it has few words of the question. It works the same for every embedder.
 */
export function reserve(candidates: readonly Candidate[], sharesOf: Shares): readonly Candidate[] {
  if (!candidates.some(({ stages }) => stages.keyword !== null)) return candidates
  const best = candidates.slice(0, LAST_PLACE)
  const similarity = ({ stages }: Candidate): number => stages.vector?.score ?? 0
  const highest = candidates.reduce((max, candidate) => Math.max(max, similarity(candidate)), 0)
  const nearest = candidates
    .filter(({ stages }) => stages.keyword === null && stages.vector !== null && stages.vector.rank <= MAX_RANK)
    .filter((candidate) => similarity(candidate) >= MIN_SIMILARITY * highest)
    .toSorted((a, b) => a.stages.vector!.rank - b.stages.vector!.rank)
  if (nearest.length === 0) return candidates
  const looked = [...new Set([...best, ...nearest])]
  const shares = new Map(sharesOf(looked).map((one, i) => [looked[i]!, one]))
  const share = (candidate: Candidate) => shares.get(candidate)!
  if (best.some((candidate) => share(candidate) >= MOST && similarity(candidate) >= NEAR * highest)) return candidates
  // Keyword search returns only its best passages, so a passage that it did not return may still have a word of the question.
  const waiting = nearest.filter((candidate) => share(candidate) === 0)
  const placed: Candidate[] = []
  const [next, old] = [[...waiting], [...best]]
  while (placed.length < LAST_PLACE && next.length > 0) {
    const [meant, kept] = [next[0]!, old[0]]
    if (kept !== undefined && (kept === meant || !givesWay(kept, meant, placed.length))) {
      if (kept === meant) next.shift()
      placed.push(old.shift()!)
      continue
    }
    next.shift()
    if (old.includes(meant)) old.splice(old.indexOf(meant), 1)
    placed.push(withPlace(meant, placed.length + 1, Math.max(kept?.score ?? 0, meant.score)))
  }
  const ids = new Set(placed.map(({ passage }) => passage.key))
  return [...placed, ...candidates.filter(({ passage }) => !ids.has(passage.key))]

  function givesWay(kept: Candidate, meant: Candidate, place: number): boolean {
    if (place >= LAST_PLACE - ALWAYS_RESERVED) return true
    if (place === 0) return share(kept) < HALF && similarity(kept) * MUCH_NEARER < similarity(meant)
    return share(kept) < MOST && similarity(kept) < similarity(meant)
  }
}

/** `score`: that of the passage that gives way, so that scores still fall from place to place. */
function withPlace(candidate: Candidate, rank: number, score: number): Candidate {
  const reason = `The passage has rank ${candidate.stages.vector!.rank} by meaning, but contains no word of the question.`
  return { ...candidate, score, stages: { ...candidate.stages, reserved: { rank, reason } } }
}
