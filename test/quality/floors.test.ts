import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DATA_DIR } from '../support/data.ts'
import { measureCollection } from './collections.ts'
import { startInstance } from './instance.ts'

/**
 * A little less than what these small sets reach with the built-in embedder. `tolerance` is how far hybrid may fall below its keyword
 * channel.
 */
const FLOORS = {
  // Only 35 questions: three answers that swap places with their neighbours make .011.
  adi: { keyword: 0.49, hybrid: 0.485, reranked: 0.49, tolerance: 0.015 },
  med: { keyword: 0.64, hybrid: 0.65, reranked: 0.675, tolerance: 0.005 },
}

describe.skipIf(DATA_DIR === null)('judged collections (skipped without DOCSEARCH_TEST_DATA)', () => {
  test('ranking stays above its floors, and hybrid is not below keyword', async () => {
    const instance = await startInstance()
    try {
      for (const [set, floor] of Object.entries(FLOORS)) {
        const { byRun } = await measureCollection(instance, join(DATA_DIR!, 'retrieval', set), set, Infinity)
        expect(byRun.keyword.ndcg10, `${set}, keyword`).toBeGreaterThan(floor.keyword)
        expect(byRun.hybrid.ndcg10, `${set}, hybrid`).toBeGreaterThan(floor.hybrid)
        expect(byRun.reranked.ndcg10, `${set}, reranked`).toBeGreaterThan(floor.reranked)
        expect(byRun.hybrid.ndcg10, `${set}, hybrid against keyword`).toBeGreaterThan(byRun.keyword.ndcg10 - floor.tolerance)
      }
    } finally {
      await instance.dispose()
    }
  })
})
