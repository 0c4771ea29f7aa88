import type { RerankModelFailure } from '../core/model.ts'

/** A model that scores how well each passage answers a question. */
export interface RerankModel {
  /** What users see as `rerank.model`. */
  readonly name: string
  /**
   * Calls `onScore` for each passage as soon as its score is known. Passages that the model can't score are left out. Throws
   * RerankModelError when the model can't score anything, NoTurn when the signal aborts before the model is asked, otherwise the signal's reason.
   */
  scorePassages(request: ScoreRequest, onScore: OnScore): Promise<void>
}

export interface ScoreRequest {
  question: string
  passages: readonly string[]
  /** Who asks. Users take turns. */
  user: string
  signal: AbortSignal
}

/** `index` is the passage's place in the list, `score` is from 0 to 1. */
export type OnScore = (index: number, score: number) => void

/** The signal aborted while other searches used the model, before it was asked. This says nothing about the model. */
export class NoTurn extends Error {
  constructor(cause: unknown) {
    super('the model was busy with other searches', { cause })
  }
}

/** The message is a sentence for the operator. */
export class RerankModelError extends Error {
  readonly code: RerankModelFailure

  constructor(code: RerankModelFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RerankModelError'
    this.code = code
  }
}
