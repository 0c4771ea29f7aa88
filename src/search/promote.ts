import { hasBit } from '../index/segments/bitmap.ts'
import { MatchedPassage } from '../index/segments/matched-passage.ts'
import type { SegmentReader } from '../index/segments/segment-reader.ts'
import type { FilteredSegment } from './filter-segments.ts'
import type { Candidate } from './fuse.ts'
import type { PassageWords } from './passage-words.ts'
import type { ExactQuestion } from './find-request.ts'

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
export function promoteNearest(candidates: readonly Candidate[], sharesOf: Shares): readonly Candidate[] {
  if (!candidates.some(({ stages }) => stages.keyword !== null)) return candidates
  const best = candidates.slice(0, LAST_PLACE)
  const similarity = ({ stages }: Candidate): number => stages.vector?.score ?? 0
  const highest = candidates.reduce((max, candidate) => Math.max(max, similarity(candidate)), 0)
  const nearest = candidates
    .filter(({ stages }) => stages.keyword === null && stages.vector !== null && stages.vector.rank <= MAX_RANK)
    .filter((candidate) => similarity(candidate) >= MIN_SIMILARITY * highest)
    .toSorted((a, b) => a.stages.vector!.rank - b.stages.vector!.rank)
  if (nearest.length === 0) return candidates
  const compared = [...new Set([...best, ...nearest])]
  const shares = new Map(sharesOf(compared).map((one, i) => [compared[i]!, one]))
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

/** How many documents of one name come first. */
const MAX_NAMED = 10
/** How many documents with the same name are read in each segment. */
const MAX_READ = 1_000

/**
 * Puts the documents that have the question as their name first, each with its best passage. The passages with the number or identifier that
 * the question consists of follow. All others keep their order.
 */
export function promoteExact(
  candidates: readonly Candidate[],
  { name, identifier }: ExactQuestion,
  segments: readonly FilteredSegment[],
  words: PassageWords,
): readonly Candidate[] {
  const named = namedPassages(segments, name).map((passage) => candidateOf(passage, candidates))
  const hasIdentifier = identifier === null ? () => false : words.withSequence(candidates, identifier)
  const rest = candidates.filter(({ passage }) => !named.some((candidate) => candidate.passage.key === passage.key))
  const identified = rest.filter((candidate) => candidate.stages.keyword !== null && hasIdentifier(candidate))
  if (named.length + identified.length === 0 || identified.length === candidates.length) return candidates
  const score = Math.max(...candidates.map((candidate) => candidate.score), named[0]?.score ?? 0)
  const place = (reason: string, first: number) => (candidate: Candidate, i: number) => ({
    ...candidate,
    score,
    isExact: true,
    stages: { ...candidate.stages, reserved: { rank: first + i, reason } },
  })
  const moved = new Set(identified)
  return [
    ...named.map(place('The question is the name of the document.', 1)),
    ...identified.map(place('The question is a number or an identifier that the passage contains.', named.length + 1)),
    ...rest.filter((candidate) => !moved.has(candidate)),
  ]
}

/** Returns the first passage, among the allowed ones, of each document with a name, ordered by path. */
function namedPassages(segments: readonly FilteredSegment[], name: string): MatchedPassage[] {
  const found: { passage: MatchedPassage; path: string }[] = []
  for (const [i, { reader, allowed }] of segments.entries()) {
    for (const document of reader.segment.documentsNamed(name, MAX_READ)) {
      const passage = firstPassage(reader, document, allowed)
      if (passage === null) continue
      found.push({ passage: new MatchedPassage(i, passage, reader.segment), path: reader.segment.path(document) })
    }
  }
  found.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)))
  return found.slice(0, MAX_NAMED).map(({ passage }) => passage)
}

function firstPassage(
  { segment, deletions }: SegmentReader,
  document: number,
  allowed: FilteredSegment['allowed'],
): number | null {
  const { start, end } = segment.passagesOf(document)
  for (let passage = start; passage < end; passage++)
    if (!deletions.has(passage) && (allowed === null || hasBit(allowed, passage))) return passage
  return null
}

/** Returns the best candidate of a passage's document. If no channel has found the document, the passage becomes a candidate. */
function candidateOf(passage: MatchedPassage, candidates: readonly Candidate[]): Candidate {
  const fused = { rank: candidates.length + 1, score: 0 }
  return (
    candidates.find((candidate) => candidate.passage.documentKey === passage.documentKey) ?? {
      passage,
      score: 1,
      vectorPart: 0,
      keywordScore: 0,
      wordFactor: 1,
      stages: { keyword: null, vector: null, fused, rerank: null, expansions: [], reserved: null },
    }
  )
}
