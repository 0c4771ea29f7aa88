import { describe, expect, test } from 'vitest'
import type { RerankCandidate, Reranker, RerankRequest } from '../../src/rerank/reranker.ts'

const candidates: RerankCandidate[] = ['alpha', 'beta', 'gamma', 'delta'].map((word, i) => ({
  id: `doc_1:1:${i}`,
  text: `A passage about ${word}.`,
  title: i % 2 === 0 ? 'Letters' : null,
  heading: 'Greek',
  score: 1 - i / 10,
}))
const request = (list: readonly RerankCandidate[], signal = new AbortController().signal): RerankRequest => ({
  query: 'gamma passage',
  candidates: list,
  before: { applied: false, reason: 'Nothing was reordered so far.' },
  user: 'usr_1',
  signal,
})

/** The promises of every reranker (src/rerank/reranker.ts): it may move candidates, and nothing else. */
export function rerankerConformance(name: string, make: () => Reranker): void {
  describe(`${name} keeps the promises of a reranker`, () => {
    test('scores all candidates or none, from 0 to 1, and nothing else', async () => {
      const { applied, scores, reason } = await make().rerank(request(candidates))
      if (scores === null) {
        expect(applied).toBe(false)
        expect(reason).toMatch(/\S/)
        return
      }
      expect(applied).toBe(true)
      expect([...scores.keys()].toSorted()).toEqual(candidates.map(({ id }) => id).toSorted())
      for (const score of scores.values()) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }
    })

    test('changes no candidate', async () => {
      const frozen = candidates.map((candidate) => Object.freeze({ ...candidate }))
      await make().rerank(request(Object.freeze(frozen)))
      expect(frozen).toEqual(candidates)
    })

    test('accepts an empty list of candidates', async () => {
      const { scores } = await make().rerank(request([]))
      expect(scores?.size ?? 0).toBe(0)
    })

    test('falls back to the fused order when the search is cancelled', async () => {
      const { applied, scores } = await make().rerank(request(candidates, AbortSignal.abort()))
      expect(applied || scores !== null ? [...scores!.keys()].length : candidates.length).toBe(candidates.length)
    })
  })
}
