/** Reorders the candidates of a fused search. It may only move results: never add, drop or change one. */
export interface Reranker {
  /** What users see as `rerank.model`; null for the fused order itself. */
  readonly model: string | null
  rerank(request: RerankRequest): Promise<RerankOutcome>
}

export interface RerankCandidate {
  id: string
  text: string
  title: string | null
  heading: string
  /** Fused score, 0 to 1. */
  score: number
}

export interface RerankRequest {
  query: string
  candidates: readonly RerankCandidate[]
  signal: AbortSignal
}

/** `scores` by candidate id, 0 to 1; null keeps the fused order. `reason` says why nothing was applied, or not all that was asked for. */
export interface RerankOutcome {
  applied: boolean
  /** What did it, where that depends on the question; else it is the reranker's own. */
  model?: string | null
  scores: ReadonlyMap<string, number> | null
  reason: string | null
}
