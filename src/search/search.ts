import type { DocumentRecord } from '../core/model.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import type { OperatorFilter } from './parse.ts'

export type SearchMode = 'hybrid' | 'vector' | 'keyword'

export interface SearchQuery {
  /** With operators: see parse.ts. */
  query: string
  /** Without the conditions that the query's own operators set. */
  filter: Omit<SearchFilter, keyof OperatorFilter>
  limit: number
  offset: number
  mode: SearchMode
  rerank: boolean
  /** Misspelt words are replaced by those of the caller's documents. */
  correct: boolean
  groupBy: 'chunk' | 'document'
}

export interface Stage {
  /** From 1 within the stage. */
  rank: number
  score: number
}

export interface Stages {
  keyword: Stage | null
  vector: Stage | null
  fused: Stage
  /** `features`: what each of them has in the score, where the reranker can tell. */
  rerank: (Stage & { features?: Readonly<Record<string, number>> }) | null
  /** The place it was given for its meaning, and why; null for all whose place is what they scored. */
  reserved: { rank: number; reason: string } | null
}

export interface SearchHit {
  /** From 1, offset included. */
  rank: number
  /** 0 to 1, higher is better, comparable within one answer. */
  score: number
  document: DocumentRecord
  /** Id, index and heading are those of the best passage; the rest is of all that are joined. */
  chunk: {
    id: string
    index: number
    pageStart: number
    pageEnd: number
    heading: string
    /** The header row of the table that the text begins within; empty where there is none. */
    context: string
    charStart: number
    charEnd: number
  }
  /** `documentText(pages).slice(chunk.charStart, chunk.charEnd)`. */
  text: string
  /** Offsets in `text`, in UTF-16 code units, sorted, not overlapping. */
  highlights: [number, number][]
  /** How many passages that follow one another the text is made of. */
  joinedPassages: number
  matchingPassages: number
  /** Other documents with the same text. */
  alsoIn: { id: string; name: string; pageStart: number }[]
  stages: Stages
}

export interface SearchOutcome {
  hits: SearchHit[]
  tookMs: number
  /** What was searched for, where words were misspelt; null when nothing was corrected. */
  correctedQuery: string | null
  /** What was done, which may be less than what was asked for. */
  mode: SearchMode
  modeReason: string | null
  embeddingModel: string | null
  rerank: { applied: boolean; model: string | null; tookMs: number; reason: string | null }
  pendingDocuments: number
}

export interface Search {
  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchOutcome>
}
