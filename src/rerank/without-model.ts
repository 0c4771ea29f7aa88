import type { BaseOrder, Reranker } from './reranker.ts'

/** Reorders by where passages have the words of the question, without a model. */
export function createBuiltinReranker(): Reranker {
  return createWithoutModel('builtin', null)
}

/** Keeps the fused order: for searches whose settings turn reranking off. */
export function createFusedReranker(
  reason: string = 'No reranker is set up, so results keep the order of the first search stage.',
): Reranker {
  return createWithoutModel('none', reason)
}

function createWithoutModel(base: BaseOrder, reason: string | null): Reranker {
  return {
    base,
    model: base === 'none' ? null : base,
    readsPassages: false,
    async rerank({ before }) {
      return { applied: before.applied, scores: null, reason: reason ?? before.reason }
    },
  }
}
