import type { DegradedReason } from '../core/telemetry.ts'
import type { RerankerState } from '../core/model.ts'

/** How a search reorders candidates without a model: `builtin` by where passages have the words of the question, `none` not at all. */
export type BaseOrder = 'builtin' | 'none'

/** Decides how the best candidates of a search are reordered. It may only move candidates: never add, drop or change one. */
export interface Reranker {
  /** The order that a model starts from. It is also the order without a model. */
  readonly base: BaseOrder
  /** What users see as `rerank.model`; null for the fused order itself. */
  readonly model: string | null
  /** False when no model can read passages now. Then `rerank` needs no candidates, and the order of `base` stands. */
  readonly readsPassages: boolean
  rerank(request: RerankRequest): Promise<RerankOutcome>
  /** Says which reranker is in use, and why. */
  state(): RerankerState
  close(): void
}

export interface RerankCandidate {
  id: string
  text: string
  title: string | null
  heading: string
  /** The score in the order of `base`, 0 to 1. */
  score: number
}

export interface RerankRequest {
  query: string
  /** In the order of `base`, best first. */
  candidates: readonly RerankCandidate[]
  /** Says whether the order of `base` was applied, and if not, why. */
  before: { applied: boolean; reason: string | null }
  /** Who asks. */
  user: string
  signal: AbortSignal
}

export interface RerankOutcome {
  applied: boolean
  /** What made this order, when that depends on the question. Left out means the reranker's own `model`. */
  model?: string | null
  /** By candidate id, 0 to 1: the scores of a model that read the passages. Null keeps the order of `base`. */
  scores: ReadonlyMap<string, number> | null
  /** By candidate id: how much each feature contributes to the score. */
  features?: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** Why nothing was applied, or less than the settings ask for. Null when everything was. */
  reason: string | null
  /** Set if a model that the settings ask for scored nothing, or not all passages. */
  degraded?: Extract<DegradedReason, `reranker_${string}`> | null
}

/** Creates the reranker that orders passages by where they have the words of the question (builtin.ts). Searches do this before they call it. */
export function createBuiltinReranker(): Reranker {
  return createWithoutModel('builtin', null, 'You chose it in the settings.')
}

/** Creates the reranker that keeps the fused order, for settings that turn reranking off. */
export function createFusedReranker(reason: string = 'Reranking is turned off.'): Reranker {
  return createWithoutModel('none', reason, 'Turned off with `--reranker none`.')
}

function createWithoutModel(base: BaseOrder, reason: string | null, message: string): Reranker {
  const model = base === 'none' ? null : base
  return {
    base,
    model,
    readsPassages: false,
    async rerank({ before }) {
      return { applied: before.applied, scores: null, reason: reason ?? before.reason }
    },
    state: () => ({ status: 'ok', code: 'ok', message, model }),
    close() {},
  }
}
