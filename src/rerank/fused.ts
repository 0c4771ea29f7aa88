import type { Reranker } from './reranker.ts'

/** Keeps the fused order: for searches whose settings turn reranking off. */
export function createFusedReranker(
  reason: string = 'No reranker is set up, so results keep the order of the first search stage.',
): Reranker {
  return {
    model: null,
    readsPassages: false,
    async rerank() {
      return { applied: false, scores: null, reason }
    },
  }
}
