import type { NoiseFloor } from '../core/noise.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import type { OpenSegment } from '../index/segments/open-segment.ts'
import type { BaseOrder } from '../rerank/reranker.ts'
import type { QueryWord } from '../text/analyse.ts'
import type { Expansion } from './expansions/expansion.ts'
import type { ExactQuestion } from './exact-question.ts'
import type { FacetName, Facets } from './facets.ts'
import type { Candidate, CandidatePassage } from './fuse.ts'
import type { ModelScores } from './reorder.ts'
import type { SearchMode, SearchQuery, SearchSort } from './search.ts'

/** The segments of a project that a search may see. */
export interface SearchedProject {
  id: string
  segments: readonly OpenSegment[]
  /** True while segments are missing and being rebuilt. */
  isIncomplete: boolean
}

export interface FindRequest {
  /** The user who searches. Users take turns. */
  userId: string
  /** In order, and each once. */
  projectIds: readonly string[]
  filter: SearchFilter
  /** The rows that were found to have the phrases of the filter (phrases.ts). Null for a filter without phrases. */
  rowsWithPhrases: BigUint64Array | null
  /** The terms that keyword search looks for. A term that is given twice counts twice. */
  terms: readonly string[]
  /** The question's words in their order. Stop words are among them only when there are no others. */
  words: readonly QueryWord[]
  /** Other words for some of these words. */
  expansions: readonly Expansion[]
  /** The language that the question shows, or `NO_LANGUAGE`. */
  language: number
  exact: ExactQuestion
  /** Null in keyword mode, and when the question has nothing to embed. */
  vector: Float32Array | null
  /** See `Embedder.hasMeaning`. */
  hasMeaning: boolean
  mode: SearchMode
  /** Weight of the vector channel in the fusion. */
  fusionWeight: number
  /** The terms of the words that the user typed, where a correction has replaced others. Null when there was no correction. */
  typedTerms: readonly string[] | null
  /** Null drops no passage. */
  noiseFloor: NoiseFloor | null
  groupBy: SearchQuery['groupBy']
  /** See `SearchQuery`. */
  passagesEach?: number
  /** The order of the groups. Candidates are reranked only for `relevance`. */
  sort: SearchSort
  /** The facets to count over all documents that the search can find. Null counts nothing. */
  facets: readonly FacetName[] | null
  /** How many groups to return, counted from the best group. */
  wanted: number
  /** How to reorder the best candidates. */
  rerank: BaseOrder | ModelScores
  /** True to return the reranked candidates as well, for a model that reads them. */
  forModel: boolean
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
