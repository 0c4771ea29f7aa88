import { floorAmong } from '../core/noise.ts'
import { PLAIN_BM25 } from '../index/segments/bm25f.ts'
import { MatchedPassage } from '../index/segments/matched-passage.ts'
import { type ExpandedGroup, searchSegments } from '../index/segments/search.ts'
import { termFrequencies } from '../index/segments/statistics.ts'
import type { SegmentDocument } from '../index/segments/segment-columns.ts'
import type { SegmentHit } from '../index/segments/top-hits.ts'
import { searchVectors } from '../index/segments/vectors/search.ts'
import { NO_LANGUAGE } from '../text/language.ts'
import { isInScope } from './expansions/expansion.ts'
import type { FindRequest } from './find-request.ts'
import { append, type Candidate, type Channels, fuse, type Hit } from './fuse.ts'
import type { FilteredSegment } from './filter-segments.ts'

/**
 * How many hits each channel returns in each look. Another look follows only when the looks before could not fill the result page. The API
 * has at most 1,100 results on all pages, and a result by document may need several passages.
 */
const DEPTHS = [200, 1500, 6000]

/**
 * How much the words of a passage count when it is in another language than the question. Names and numbers are the same in both, so a passage
 * in the question's language should win when it has as many of them.
 */
const IN_ANOTHER_LANGUAGE = 0.8

/**
 * The number of passages, best by words, that get their similarity to the question even if they aren't among the nearest. Without it, the
 * last of the nearest passages would win against the next one by as much as its whole similarity.
 */
const MAX_COMPARED = 100

/** The assumed number of passages when the vector channel has more hits than the look asked for and the embedder knows its floor. */
const ASSUMED_PASSAGES = 20_000

export type Looked = Pick<
  FindRequest,
  'terms' | 'expansions' | 'language' | 'vector' | 'mode' | 'fusionWeight' | 'noiseFloor' | 'exact' | 'typedTerms'
>

/** Searches for candidates in several looks. Each look asks both channels for more hits than the look before. */
export class Looks {
  readonly #segments: readonly FilteredSegment[]
  readonly #request: Looked
  #level = 0
  #candidates: Candidate[] = []
  #more = true

  constructor(segments: readonly FilteredSegment[], request: Looked) {
    this.#segments = segments
    this.#request = request
  }

  /** False when the next look would find nothing new. */
  get more(): boolean {
    return this.#more
  }

  /** Takes the next look. Returns all candidates so far. Candidates of earlier looks keep their order. */
  next(): Candidate[] {
    const depth = DEPTHS[this.#level++]
    if (depth === undefined) throw new RangeError('there is no deeper look')
    const { mode, vector, fusionWeight } = this.#request
    const channels = this.#searchChannels(depth)
    const weight = vector === null ? 0 : fusionWeight
    this.#candidates = append(this.#candidates, fuse(this.#withoutNoise(channels, depth), mode, weight))
    this.#more = this.#level < DEPTHS.length && (channels.keyword.length >= depth || channels.vector.length >= depth)
    return this.#candidates
  }

  /** Skips to the deepest look and returns all candidates. */
  deepest(): Candidate[] {
    if (!this.#more) return this.#candidates
    this.#level = DEPTHS.length - 1
    return this.next()
  }

  /** Returns what the segments know of a candidate's document. */
  documentOf({ passage }: Pick<Candidate, 'passage'>): SegmentDocument & { projectId: string } {
    const { reader, projectId } = this.#segments[passage.segment]!
    return { ...reader.segment.document(passage.documentNumber), projectId }
  }

  #searchChannels(limit: number): Channels {
    const { terms, expansions, vector, mode } = this.#request
    const groups = this.#groupsOf(expansions)
    const byWords = mode !== 'vector' && terms.length > 0
    const keyword = byWords
      ? searchSegments(this.#segments, withoutOwn(terms, expansions), { groups, limit, scoring: PLAIN_BM25 })
      : []
    const also = keyword.slice(0, MAX_COMPARED)
    return {
      keyword: this.#weighed(this.#matched(keyword)),
      vector: vector === null ? [] : this.#matched(searchVectors(this.#segments, vector, limit, also)),
    }
  }

  /**
   * In hybrid mode, drops passages that share no word with the question and are no nearer than by chance. Otherwise, a question that no
   * document is about would find the passages that happen to be nearest. In vector mode, the nearest passages always count.
   */
  #withoutNoise(channels: Channels, depth: number): Channels {
    const { keyword, vector } = channels
    const { mode, vector: question, noiseFloor } = this.#request
    if (mode !== 'hybrid' || question === null || noiseFloor === null) return channels
    if (noiseFloor.onlyWithoutWords && keyword.length > 0 && this.#hasTypedWord()) return channels
    const all = noiseFloor.onlyWithoutWords ? termFrequencies(this.#segments, []).passages : ASSUMED_PASSAGES
    const floor = floorAmong(vector.length < depth ? vector.length : all, noiseFloor)
    const withWord = new Set(keyword.map(({ passage }) => passage.key))
    return { keyword, vector: vector.filter((hit) => hit.score > floor || withWord.has(hit.passage.key)) }
  }

  /** Returns whether a word of the question, as the user typed it, occurs. Vectors know nothing of identifiers, so these do not count. */
  #hasTypedWord(): boolean {
    const { exact, typedTerms } = this.#request
    if (exact.hasOnlyIdentifiers) return false
    return (
      typedTerms === null || searchSegments(this.#segments, typedTerms, { groups: [], limit: 1, scoring: PLAIN_BM25 }).length > 0
    )
  }

  /** A project's own synonyms count in its passages only. */
  #groupsOf(expansions: FindRequest['expansions']): ExpandedGroup[] {
    return expansions.map(({ own, times, alternatives }) => ({
      own: own.flat(),
      times,
      alternatives: alternatives.map(({ words, weight, scope }) => ({
        words,
        weight,
        countsIn: (segment) => isInScope(scope, this.#segments[segment]!.projectId),
      })),
    }))
  }

  #matched(hits: readonly SegmentHit[]): Hit[] {
    return hits.map(({ segment, passage: number, score }) => {
      const passage = new MatchedPassage(segment, number, this.#segments[segment]!.reader.segment)
      return { passage, score, wordFactor: this.#wordFactor(passage) }
    })
  }

  #wordFactor({ language }: MatchedPassage): number {
    const asked = this.#request.language
    return asked === NO_LANGUAGE || language === NO_LANGUAGE || language === asked ? 1 : IN_ANOTHER_LANGUAGE
  }

  /** Multiplies scores by the factor, and sorts them again if that has changed any. */
  #weighed(hits: readonly Hit[]): readonly Hit[] {
    if (!hits.some(({ wordFactor }) => wordFactor < 1)) return hits
    return hits.map((hit) => ({ ...hit, score: hit.score * hit.wordFactor })).toSorted((a, b) => b.score - a.score)
  }
}

/** Returns the terms that no expansion has among its own words. */
function withoutOwn(terms: readonly string[], expansions: FindRequest['expansions']): string[] {
  const rest = [...terms]
  for (const { own } of expansions)
    for (const term of own.flat()) {
      const at = rest.indexOf(term)
      if (at !== -1) rest.splice(at, 1)
    }
  return rest
}
