/** A model that says of each passage how well it answers a question. */
export interface Judge {
  /** What users see as `rerank.model`. */
  readonly name: string
  /**
   * Calls back with the index and the score (0 to 1) of each passage as soon as it is known; those it cannot judge are left out. Throws JudgeError
   * when it cannot judge at all, or the signal's reason.
   */
  judge(question: string, passages: readonly string[], signal: AbortSignal, onScore: OnScore): Promise<void>
}

export type OnScore = (index: number, score: number) => void

export type JudgeFailure =
  /** Out of reach, overloaded, not installed: may be mended by waiting. */
  | 'reranker_unavailable'
  /** It answers, but not as a reranker. */
  | 'reranker_unsuitable'

/** The message is a sentence for the operator. */
export class JudgeError extends Error {
  readonly code: JudgeFailure

  constructor(code: JudgeFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'JudgeError'
    this.code = code
  }
}
