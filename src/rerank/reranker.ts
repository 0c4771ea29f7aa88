import type { QueryWord } from '../text/analyse.ts'

/** Reorders the candidates of a fused search. It may only move results: never add, drop or change one. */
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
  /** Title, heading path and text as they stand in the index: analysed, joined by blanks. */
  terms: string
  /** Fused score, 0 to 1. */
  score: number
  /** What the vectors have in `score`; the rest is the words'. */
  vectorPart: number
  /** BM25; 0 when it was not found by its words. */
  keywordScore: number
}

export interface RerankRequest {
  query: string
  /** The question's words in their order, without those that carry no subject. */
  words: readonly QueryWord[]
  /** How rare a term is: ln(1 + (N − n + ½) / (n + ½)) for n of N passages, as BM25 weighs it. */
  idf(term: string): number
  candidates: readonly RerankCandidate[]
  signal: AbortSignal
}

/** `scores` by candidate id, 0 to 1; null keeps the fused order. `reason` says why nothing was applied, or not all that was asked for. */
export interface RerankOutcome {
  applied: boolean
  /** What did it, where that depends on the question; else it is the reranker's own. */
  model?: string | null
  /** True when a model read the passages. Left out means false. */
  isByModel?: boolean
  scores: ReadonlyMap<string, number> | null
  /** By candidate id, where a score is made of parts: what each part has in it. */
  features?: ReadonlyMap<string, Readonly<Record<string, number>>>
  reason: string | null
}
