import { hasBit } from '../index/segments/bitmap.ts'
import { MatchedPassage } from '../index/segments/matched-passage.ts'
import type { SegmentReader } from '../index/segments/segment-reader.ts'
import type { ExactQuestion } from './exact-question.ts'
import type { FilteredSegment } from './filter-segments.ts'
import type { Candidate } from './fuse.ts'
import type { PassageWords } from './passage-words.ts'

/** How many documents of one name come first. */
const MAX_NAMED = 10
/** How many documents of one name are looked at in each segment. */
const MAX_LOOKED = 1_000

/**
 * Puts the documents that have the question as their name first, each with its best passage. The passages with the number or identifier that
 * the question consists of follow. All others keep their order.
 */
export function exactFirst(
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
    for (const document of reader.segment.documentsNamed(name, MAX_LOOKED)) {
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
