/** A model that scores how well each passage answers a question. */
export interface RerankModel {
  /** What users see as `rerank.model`. */
  readonly name: string
  /**
   * Calls `onScore` for each passage as soon as its score is known. Passages that the model can't score are left out. Throws
   * RerankModelError when the model can't score anything, or the signal's reason.
   */
  scorePassages(question: string, passages: readonly string[], signal: AbortSignal, onScore: OnScore): Promise<void>
}

/** `index` is the passage's place in the list, `score` is from 0 to 1. */
export type OnScore = (index: number, score: number) => void

export type RerankModelFailure =
  /** Out of reach, overloaded or not installed: trying again later may help. */
  | 'reranker_unavailable'
  /** It answers, but not as a reranker. */
  | 'reranker_unsuitable'

/** The message is a sentence for the operator. */
export class RerankModelError extends Error {
  readonly code: RerankModelFailure

  constructor(code: RerankModelFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RerankModelError'
    this.code = code
  }
}
