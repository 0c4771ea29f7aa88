import { hasBit } from '../index/segments/bitmap.ts'
import { MatchedPassage } from '../index/segments/matched-passage.ts'
import type { SegmentReader } from '../index/segments/segment-reader.ts'
import { analyse, possibleTerms } from '../text/analyse.ts'
import { isUnspaced } from '../text/tokenize.ts'
import type { FilteredSegment } from './filter-segments.ts'
import type { Candidate } from './fuse.ts'
import type { PassageWords } from './passage-words.ts'

/** What a question names exactly. */
export interface ExactQuestion {
  /** The question as the user typed it. It may be the name of a document. */
  name: string
  /**
   * The terms of a number or identifier, each with its forms, when the question is nothing else: `4711`, `b` and `4711b` for `4711-B`. A passage
   * with the same number has them one after the other.
   */
  identifier: readonly (readonly string[])[] | null
  /** True when each word is a number or an identifier. A vector knows nothing of such words. */
  hasOnlyIdentifiers: boolean
}

/** No identifier is longer. The time of the comparison grows with the length. */
const MAX_IDENTIFIER_CHARS = 100
/** How many documents of one name come first. */
const MAX_NAMED = 10
/** How many documents of one name are looked at in each segment. */
const MAX_LOOKED = 1_000

const AROUND = /^["'“”„«»(<[]+|["'“”„«»)>\].,;:!?]+$/gu
const HAS_DIGIT = /\p{N}/u

/** Reads what a question names exactly. `query` is the question as the user typed it. */
export function exactQuestion(query: string): ExactQuestion {
  const name = query.trim()
  const word = name.replace(AROUND, '')
  const isIdentifier = /^\S+$/.test(word) && HAS_DIGIT.test(word) && !isUnspaced(word) && word.length <= MAX_IDENTIFIER_CHARS
  return {
    name,
    identifier: isIdentifier ? analyse(word).map(({ known }) => possibleTerms(known.lower)) : null,
    hasOnlyIdentifiers: hasOnlyIdentifiers(name),
  }
}

/** A word with a digit, an underscore or a capital within: a part number, a date, the name of a variable. */
const IDENTIFIER = /\p{N}|\S_\S|\p{Ll}\p{Lu}/u

function hasOnlyIdentifiers(query: string): boolean {
  const words = query.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.length > 0 && words.every((word) => IDENTIFIER.test(word) && !isUnspaced(word))
}

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
    ...identified.map(place('The passage has exactly the number or identifier that the question consists of.', named.length + 1)),
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
