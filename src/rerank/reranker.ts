import type { QueryWord } from '../text/analyse.ts'

/** Reorders the candidates of a fused search. It may only move candidates: never add, drop or change one. */
export interface Reranker {
  /** What users see as `rerank.model`; null for the fused order itself. */
  readonly model: string | null
  /** False when `rerank` looks at no candidate, so that none has to be read for it. */
  readonly readsPassages: boolean
  rerank(request: RerankRequest): Promise<RerankOutcome>
}

export interface RerankCandidate {
  id: string
  text: string
  title: string | null
  heading: string
  /** Title, heading path and text as in the index: analysed terms, separated by spaces. */
  terms: string
  /** Fused score, 0 to 1. */
  score: number
  /** The vectors' part of `score`. The rest comes from the keywords. */
  vectorPart: number
  /** BM25. 0 when the passage was not found by keywords. */
  keywordScore: number
}

export interface RerankRequest {
  query: string
  /** The question's words in their order. Stop words are among them only when there are no others. */
  words: readonly QueryWord[]
  /** How rare a term is, as in BM25: ln(1 + (N − n + ½) / (n + ½)) when n of N passages have it. */
  idf(term: string): number
  candidates: readonly RerankCandidate[]
  signal: AbortSignal
}

export interface RerankOutcome {
  applied: boolean
  /** What made this order, when that depends on the question. Left out means the reranker's own `model`. */
  model?: string | null
  /** True when a model read the passages. Left out means false. */
  isByModel?: boolean
  /** By candidate id, 0 to 1. Null keeps the fused order. */
  scores: ReadonlyMap<string, number> | null
  /** By candidate id: how much each feature contributes to the score. */
  features?: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** Why nothing was applied, or less than the settings ask for. Null when everything was. */
  reason: string | null
}
