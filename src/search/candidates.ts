import { floorAmong } from '../core/noise.ts'
import { PLAIN_BM25 } from '../index/segments/bm25f.ts'
import { MatchedPassage } from '../index/segments/matched-passage.ts'
import { type ExpandedGroup, searchSegments } from '../index/segments/search.ts'
import { termFrequencies } from '../index/segments/segment-row.ts'
import type { SegmentDocument } from '../index/segments/segment-columns.ts'
import type { SegmentHit } from '../index/segments/top-hits.ts'
import { searchVectors } from '../index/segments/vectors/search.ts'
import { NO_LANGUAGE } from '../text/language.ts'
import { isInScope } from './expansions/expansion.ts'
import type { FilteredSegment } from './filter-segments.ts'
import { append, type Candidate, type Channels, fuse, type Hit } from './fuse.ts'
import type { Question } from './find-request.ts'

/**
 * How many hits each channel returns at each depth. A search goes deeper only when it could not fill the result page before. The API has at
 * most 1,100 results on all pages, and a result by document may need several passages.
 */
const DEPTHS = [200, 1500, 6000]

/** Searches for candidates, deeper each time. */
export class CandidateSearch {
  readonly #segments: readonly FilteredSegment[]
  readonly #question: Question
  #level = 0
  #candidates: Candidate[] = []
  #more = true

  constructor(segments: readonly FilteredSegment[], question: Question) {
    this.#segments = segments
    this.#question = question
  }

  /** False when going deeper would find nothing new. */
  get more(): boolean {
    return this.#more
  }

  /** Asks both channels for more hits than before. Returns all candidates so far. Those that were known keep their order. */
  deepen(): Candidate[] {
    const depth = DEPTHS[this.#level++]
    if (depth === undefined) throw new RangeError('there is no greater depth')
    const { mode, vectorWeight } = this.#question
    const channels = searchChannels(this.#segments, this.#question, depth)
    const kept = withoutNoise(channels, this.#segments, this.#question, depth)
    this.#candidates = append(this.#candidates, fuse(kept, mode, vectorWeight))
    this.#more = this.#level < DEPTHS.length && (channels.keyword.length >= depth || channels.vector.length >= depth)
    return this.#candidates
  }

  /** Searches as deep as possible. Returns all candidates. */
  deepest(): Candidate[] {
    if (!this.#more) return this.#candidates
    this.#level = DEPTHS.length - 1
    return this.deepen()
  }

  /** Returns what the segments know of a candidate's document. */
  documentOf({ passage }: Pick<Candidate, 'passage'>): SegmentDocument & { projectId: string } {
    const { reader, projectId } = this.#segments[passage.segment]!
    return { ...reader.segment.document(passage.documentNumber), projectId }
  }
}

/**
 * The number of passages, best by words, that get their similarity to the question even if they aren't among the nearest. Without it, the
 * last of the nearest passages would win against the next one by as much as its whole similarity.
 */
const MAX_COMPARED = 100

/** Finds passages by words, scored with BM25, and passages by meaning, scored with the cosine of their vectors. */
function searchChannels(segments: readonly FilteredSegment[], question: Question, limit: number): Channels {
  const { terms, expansions, vector, mode, language } = question
  const byWords = mode !== 'vector' && terms.length > 0
  const keyword = byWords
    ? searchSegments(segments, withoutOwn(terms, expansions), {
        groups: groupsOf(expansions, segments),
        limit,
        scoring: PLAIN_BM25,
      })
    : []
  const also = keyword.slice(0, MAX_COMPARED)
  return {
    keyword: weighed(matched(segments, keyword, language)),
    vector: vector === null ? [] : matched(segments, searchVectors(segments, vector, limit, also), language),
  }
}

/** Returns the terms that no expansion has among its own words. */
function withoutOwn(terms: readonly string[], expansions: Question['expansions']): string[] {
  const rest = [...terms]
  for (const { own } of expansions)
    for (const term of own.flat()) {
      const at = rest.indexOf(term)
      if (at !== -1) rest.splice(at, 1)
    }
  return rest
}

/** Returns the other words for words of the question. A project's own synonyms count in its passages only. */
function groupsOf(expansions: Question['expansions'], segments: readonly FilteredSegment[]): ExpandedGroup[] {
  return expansions.map(({ own, times, alternatives }) => ({
    own: own.flat(),
    times,
    alternatives: alternatives.map(({ words, weight, scope }) => ({
      words,
      weight,
      countsIn: (segment) => isInScope(scope, segments[segment]!.projectId),
    })),
  }))
}

/**
 * How much the words of a passage count when it is in another language than the question. Names and numbers are the same in both, so a passage
 * in the question's language should win when it has as many of them.
 */
const IN_ANOTHER_LANGUAGE = 0.8

function matched(segments: readonly FilteredSegment[], hits: readonly SegmentHit[], asked: number): Hit[] {
  return hits.map(({ segment, passage: number, score }) => {
    const passage = new MatchedPassage(segment, number, segments[segment]!.reader.segment)
    const { language } = passage
    const isSame = asked === NO_LANGUAGE || language === NO_LANGUAGE || language === asked
    return { passage, score, wordFactor: isSame ? 1 : IN_ANOTHER_LANGUAGE }
  })
}

/** Multiplies scores by the factor, and sorts them again if that has changed any. */
function weighed(hits: readonly Hit[]): readonly Hit[] {
  if (!hits.some(({ wordFactor }) => wordFactor < 1)) return hits
  return hits.map((hit) => ({ ...hit, score: hit.score * hit.wordFactor })).toSorted((a, b) => b.score - a.score)
}

/** The assumed number of passages when the vector channel has more hits than were asked for and the embedder knows its floor. */
const ASSUMED_PASSAGES = 20_000

/**
 * In hybrid mode, drops passages that share no word with the question and are no nearer than by chance. Otherwise, a question that no
 * document is about would find the passages that happen to be nearest. In vector mode, the nearest passages always count.
 */
function withoutNoise(channels: Channels, segments: readonly FilteredSegment[], question: Question, depth: number): Channels {
  const { keyword, vector } = channels
  const { mode, noiseFloor } = question
  if (mode !== 'hybrid' || question.vector === null || noiseFloor === null) return channels
  if (noiseFloor.onlyWithoutWords && keyword.length > 0 && hasTypedWord(segments, question)) return channels
  const all = noiseFloor.onlyWithoutWords ? termFrequencies(segments, []).passages : ASSUMED_PASSAGES
  const floor = floorAmong(vector.length < depth ? vector.length : all, noiseFloor)
  const withWord = new Set(keyword.map(({ passage }) => passage.key))
  return { keyword, vector: vector.filter((hit) => hit.score > floor || withWord.has(hit.passage.key)) }
}

/** Returns whether a word of the question, as the user typed it, occurs. Vectors know nothing of identifiers, so these do not count. */
function hasTypedWord(segments: readonly FilteredSegment[], { exact, typedTerms }: Question): boolean {
  if (exact.hasOnlyIdentifiers) return false
  return typedTerms === null || searchSegments(segments, typedTerms, { groups: [], limit: 1, scoring: PLAIN_BM25 }).length > 0
}
