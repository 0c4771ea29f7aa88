import type { DocumentRecord } from '../core/model.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import type { FacetName, Facets } from './facets.ts'
import type { ExpansionSource } from './expansions/expansion.ts'
import type { MessageQuery } from '../records/records.ts'
import type { OperatorFilter } from './parse.ts'

export type SearchMode = 'hybrid' | 'vector' | 'keyword'
export type SearchSort = 'relevance' | 'newest' | 'name'

export interface SearchQuery {
  /** The question, with operators (parse.ts). */
  query: string
  /** Without the conditions that the query's own operators set. */
  filter: Omit<SearchFilter, keyof OperatorFilter | 'messagePages' | 'withoutMessagePages'>
  /** Conditions about the headers of messages. Only messages that match, and their attachments, are found. */
  messages?: MessageQuery
  /** The user who searches. Users take turns. */
  userId: string
  /** The projects to search: only projects that the user may see. In order, and each once. */
  projectIds: readonly string[]
  limit: number
  offset: number
  mode: SearchMode
  rerank: boolean
  /** Replaces misspelled words by words of the caller's documents, and searches for the words of quoted phrases that no passage has. */
  correct: boolean
  groupBy: 'chunk' | 'document'
  /** With `groupBy: 'document'`: how many passages of each document to return, the best one included. Default: 1. */
  passagesEach?: number
  /** The order of the results. Results that are equal in it stay in order of relevance. */
  sort: SearchSort
  /** The facets to count. Null counts nothing. */
  facets: readonly FacetName[] | null
}

export interface Stage {
  /** From 1 within the stage. */
  rank: number
  score: number
}

/** Words of the question that a passage lacks, and the other words for them by which keyword search has found it. */
export interface FoundByExpansion {
  /** As typed. */
  words: string
  /** As in the list of synonyms. */
  found: string
  source: ExpansionSource
}

export interface Stages {
  keyword: Stage | null
  vector: Stage | null
  fused: Stage
  /** `features` says how much each feature contributes to the score, when the reranker knows. */
  rerank: (Stage & { features?: Readonly<Record<string, number>> }) | null
  expansions: readonly FoundByExpansion[]
  /** The place that was reserved for it because of its meaning, and why. Null when its scores gave it its place. */
  reserved: { rank: number; reason: string } | null
}

/** Another passage of a document that was found. */
export interface MorePassage {
  passage: SearchHit['passage']
  text: string
  /** As in `SearchHit`. */
  highlights: [number, number][]
}

export interface SearchHit {
  /** From 1, counted from the first result, not from the offset. */
  rank: number
  /** 0 to 1, higher is better, comparable within one answer. */
  score: number
  document: DocumentRecord
  /** `id`, `index` and `heading` of the best passage; the other fields span all joined passages. */
  passage: {
    id: string
    index: number
    pageStart: number
    pageEnd: number
    heading: string
    /** The header row of the table in which the text begins. Empty when it begins outside of a table. */
    context: string
    charStart: number
    charEnd: number
  }
  /** `documentText(pages).slice(passage.charStart, passage.charEnd)`. */
  text: string
  /** Offsets in `text`, in UTF-16 code units, sorted, not overlapping. */
  highlights: [number, number][]
  /** The document's next best passages, if the request asked for several. */
  more: MorePassage[]
  /** Number of consecutive passages in `text`. */
  joinedPassages: number
  matchingPassages: number
  /** Other documents with the same text, at most 20. */
  alsoIn: { id: string; name: string; pageStart: number }[]
  stages: Stages
}

export interface SearchOutcome {
  hits: SearchHit[]
  tookMs: number
  /** The question after its misspelled words were corrected. Null when nothing was corrected. */
  correctedQuery: string | null
  /** Why spelling correction did not check all words. Null if it checked all words, or should check none. */
  correctionReason: string | null
  /** The quoted phrases that no passage has. The hits are then for the words of the phrases. */
  relaxedPhrases: readonly string[]
  /** The mode that was used. `modeReason` says why it is not the one that was asked for. */
  mode: SearchMode
  modeReason: string | null
  embeddingModel: string | null
  rerank: { applied: boolean; model: string | null; tookMs: number; reason: string | null }
  /** Counts of the documents found, on all result pages together. The values of `project` are ids. Null when the request has no facets. */
  facets: Facets | null
  pendingDocuments: number
}

export interface Search {
  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchOutcome>
}
