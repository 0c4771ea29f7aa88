import { expect, test } from 'vitest'
import { createBuiltinReranker, createFusedReranker } from '../../src/rerank/reranker.ts'
import { rerankerConformance } from './reranker.ts'

rerankerConformance('the built-in reranker', () => createBuiltinReranker())
rerankerConformance('the fused order', () => createFusedReranker())

test('the fused order says that no reranking was applied, and why', async () => {
  const outcome = await createFusedReranker('Turned off for this test.').rerank({
    query: 'q',
    candidates: [],
    before: { applied: false, reason: null },
    user: 'usr_1',
    signal: new AbortController().signal,
  })
  expect(outcome).toEqual({ applied: false, scores: null, reason: 'Turned off for this test.' })
})
