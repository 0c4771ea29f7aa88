import type { NoiseFloor } from '../core/noise.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import type { DegradedReason } from '../core/telemetry.ts'
import type { OpenSegment } from '../index/segments/segment-reader.ts'
import type { BaseOrder } from '../rerank/reranker.ts'
import type { QueryWord } from '../text/analyse.ts'
import type { Expansion } from './expansions/expansion.ts'
import type { Facets } from './facets.ts'
import type { Candidate, CandidatePassage } from './fuse.ts'
import type { SearchMode, SearchQuery } from './search.ts'

/** The segments of a project that a search may see. */
export interface SearchedProject {
  id: string
  segments: readonly OpenSegment[]
  /** True while segments are missing and being rebuilt. */
  isIncomplete: boolean
}

/** A search as a search thread gets it: what the user asked for, and what is known of the question. */
export interface FindRequest {
  query: SearchQuery
  question: Question
  /** All conditions together, which come from the query, its operators, and the headers of messages. */
  filter: SearchFilter
  /** The rows that were found to have the phrases of the filter (filter-segments.ts). Null while nobody has looked, and without phrases. */
  rowsWithPhrases: BigUint64Array | null
  /** The terms of each word that may be misspelled. Empty when the spelling is settled. */
  spelling: readonly (readonly string[])[]
  /** How many groups to return, counted from the best group. */
  wanted: number
  /** How to reorder the best candidates. */
  rerank: BaseOrder | ModelScores
  /** True to return the reranked candidates as well, for a model that reads them. */
  forModel: boolean
}

/** A question as search threads take it, and the mode that it can be searched in. */
export interface Question {
  /** Without operators. The words of quoted phrases are part of it. */
  text: string
  /** The terms that keyword search looks for. A term that is given twice counts twice. */
  terms: readonly string[]
  /** The same terms, word by word, in their order. Stop words are among them only when there are no others. */
  words: readonly QueryWord[]
  /** Other words for some of these words. */
  expansions: readonly Expansion[]
  /** The language that it shows, or `NO_LANGUAGE`. */
  language: number
  /** What the user typed, before any correction. */
  exact: ExactQuestion
  /** The terms of the words that the user typed, where a correction has replaced others. Null when there was no correction. */
  typedTerms: readonly string[] | null
  /** Null in keyword mode, and when the question has nothing to embed. */
  vector: Float32Array | null
  /** Weight of the vector channel in the fusion. */
  vectorWeight: number
  /** See `Embedder.hasMeaning`. */
  hasMeaning: boolean
  /** Null drops no passage. */
  noiseFloor: NoiseFloor | null
  mode: SearchMode
  modeReason: string | null
  /** Set if the question could not be embedded. */
  degraded: DegradedReason | null
}

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

/** The scores of a reranker by passage ID, 0 to 1, and how much each feature contributes to them. */
export interface ModelScores {
  scores: ReadonlyMap<string, number>
  features?: ReadonlyMap<string, Readonly<Record<string, number>>> | undefined
}

/** The answer of a search thread: what it found, or the passages whose texts have to be checked for phrases first. */
export type FindAnswer = ({ found: Found; phraseChecks: null } | { found: null; phraseChecks: PhraseChecks }) & {
  /** The words of `spelling` that no passage has, by their positions. Empty when there are no passages. */
  unknown: readonly number[]
}

export interface PhraseChecks {
  rows: BigUint64Array
  /** False when there are too many. Then these are the best of them, and the others are not found. */
  isComplete: boolean
}

/** The best passage of a result, or a twin: a passage of another document with the same text. */
export type FoundPassage = Pick<CandidatePassage, 'id' | 'row' | 'documentId' | 'pageStart'> & Pick<Candidate, 'stages'>

/** The parts of a group that the main thread needs. */
export interface FoundGroup {
  best: FoundPassage
  /** 0 to 1. In order of relevance, it falls from group to group. */
  score: number
  /** The rows of the passages shown, including the best passage, in the order of the text. */
  rows: bigint[]
  /** The rows of the document's next best passages, with passages on other pages first. */
  nextRows: bigint[]
  /** Passages of other documents with the same text, best first. */
  twins: FoundPassage[]
  matchingPassages: number
}

export interface Found {
  groups: FoundGroup[]
  /** True when more groups may exist. */
  more: boolean
  /** Says whether the candidates were reranked by their words. `reason` says why not, if that depends on the question. */
  rerank: { applied: boolean; tookMs: number; reason: string | null }
  /** The best candidates with their scores, best first. Empty unless the request has `forModel`. */
  forModel: (Pick<CandidatePassage, 'id' | 'row'> & Pick<Candidate, 'score'>)[]
  /** The requested facets. The values of `project` are ids. */
  facets: Facets | null
  /** True while a part of the searched projects is missing and being rebuilt. */
  isIncomplete: boolean
}
