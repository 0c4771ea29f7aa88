import type { SearchFilter } from '../core/search-filter.ts'
import type { OpenSegment } from '../index/segments/open-segment.ts'
import type { BaseOrder } from '../rerank/reranker.ts'
import type { QueryWord } from '../text/analyse.ts'
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
  filter: SearchFilter
  /** The only rows that may be found, for the phrases of the filter, which segments can't check. Null: every row may be found. */
  allowedRows: BigUint64Array | null
  /** What keyword search looks for. A term that is given twice counts twice. */
  terms: readonly string[]
  /** The question's words in their order. Stop words are among them only when there are no others. */
  words: readonly QueryWord[]
  /** Null in keyword mode, and when the question has nothing to embed. */
  vector: Float32Array | null
  mode: SearchMode
  /** Weight of the vector channel in the fusion. */
  fusionWeight: number
  /** See `Embedder.noiseDeviation`. */
  noiseDeviation: number
  groupBy: SearchQuery['groupBy']
  /** In another order than `relevance`, nothing is reranked. */
  sort: SearchSort
  /** What to count of all documents that can be found. Null: nothing. */
  facets: readonly FacetName[] | null
  /** Number of groups to return, from the first one on. */
  wanted: number
  /** What reorders the best candidates. */
  rerank: BaseOrder | ModelScores
  /** True: also returns the reranked candidates, for a model to read. */
  forModel: boolean
}

/** A passage that becomes a result, or a twin of one. */
export type FoundPassage = Pick<CandidatePassage, 'id' | 'row' | 'documentId' | 'pageStart'> & Pick<Candidate, 'stages'>

/** A group as the main thread needs it. */
export interface FoundGroup {
  best: FoundPassage
  /** 0 to 1. In order of relevance, it falls from group to group. */
  score: number
  /** The rows of the passages shown, the best one included, in the order of the text. */
  rows: bigint[]
  /** Passages of other documents with the same text, best first. */
  twins: FoundPassage[]
  matchingPassages: number
}

export interface Found {
  groups: FoundGroup[]
  /** True when more groups may exist. */
  more: boolean
  /** Whether the candidates were reranked by their words. `reason` says why not, if that depends on the question. */
  rerank: { applied: boolean; tookMs: number; reason: string | null }
  /** The best candidates with their scores, best first, when they were asked for. */
  forModel: (Pick<CandidatePassage, 'id' | 'row'> & Pick<Candidate, 'score'>)[]
  /** The facets that were asked for. The values of `project` are ids. */
  facets: Facets | null
  /** True while a part of the searched projects is missing and being rebuilt. */
  isIncomplete: boolean
}
