import type { Reranker } from './reranker.ts'

/** Keeps the fused order: for searches whose settings turn reranking off. */
export function createFusedReranker(reason: string = 'No reranker is set up: results stand in their fused order.'): Reranker {
  return {
    model: null,
    readsPassages: false,
    async rerank() {
      return { applied: false, scores: null, reason }
    },
  }
}
