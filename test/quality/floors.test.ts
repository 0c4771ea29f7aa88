import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DATA_DIR } from '../support/data.ts'
import { measureCollection } from './collections.ts'
import { startInstance } from './instance.ts'

/**
 * What these small sets reach with the built-in embedder, less a little.
 * Statistics of words are those of all that is indexed, so figures differ from those of `npm run quality`, which measures every set.
 * `tolerance`: what hybrid may cost against its own keyword channel.
 */
const FLOORS = {
  // 35 questions: three answers that change places with their neighbours are .011.
  adi: { keyword: 0.49, hybrid: 0.485, reranked: 0.49, tolerance: 0.015 },
  med: { keyword: 0.64, hybrid: 0.65, reranked: 0.675, tolerance: 0.005 },
}

describe.skipIf(DATA_DIR === null)('judged collections (skipped without DOCSEARCH_TEST_DATA)', () => {
  test('ranking is as good as it was, and hybrid is not below keyword', async () => {
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
