import type { Reranker } from './reranker.ts'

/** The fused order as it is: what every search falls back to, and the whole of reranking where no model is at hand. */
export function createFusedReranker(reason: string = 'No reranker is set up: results stand in their fused order.'): Reranker {
  return {
    model: null,
    readsPassages: false,
    async rerank() {
      return { applied: false, scores: null, reason }
    },
  }
}
