import { expect, test } from 'vitest'
import { createFusedReranker } from '../../src/rerank/fused.ts'
import { rerankerConformance } from './reranker.ts'

rerankerConformance('the fused order', () => createFusedReranker())

test('says that nothing was applied, and why', async () => {
  const signal = new AbortController().signal
  const outcome = await createFusedReranker('Turned off for this test.').rerank({
    query: 'q',
    words: [],
    idf: () => 0,
    candidates: [],
    signal,
  })
  expect(outcome).toEqual({ applied: false, scores: null, reason: 'Turned off for this test.' })
})
