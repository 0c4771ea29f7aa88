import { createFusedReranker } from './fused.ts'
import type { Reranker } from './reranker.ts'

/** The best reranker there is; the one place that knows them all. So far that is the fused order. */
export function createReranker(): Reranker {
  return createFusedReranker()
}
