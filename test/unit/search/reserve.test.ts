import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBuiltinReranker } from '../../../src/rerank/reranker.ts'
import type { Candidate } from '../../../src/search/fuse.ts'
import { promoteNearest } from '../../../src/search/promote.ts'
import { newCandidate } from '../../support/candidate.ts'
import { type Fixture, makeFixture } from './fixture.ts'

/** Returns a candidate. `keyword` and `vector` are its ranks. */
function candidate(id: string, score: number, keyword: number | null, vector: number | null, similarity = 0.1): Candidate {
  const stage = (rank: number | null, score: number) => (rank === null ? null : { rank, score })
  const stages = {
    keyword: stage(keyword, 1),
    vector: stage(vector, similarity),
    fused: { rank: 1, score },
    rerank: null,
    expansions: [],
    reserved: null,
  }
  return newCandidate({ id, documentId: id, index: 0, score, stages })
}

/** Passages that keywords found, in their order. Each is a little similar to the question. */
const byWords = (count: number) => Array.from({ length: count }, (_, i) => candidate(`word${i + 1}`, 1 - i / 100, i + 1, i + 20))
/** Passages without a word of the question, by their rank by meaning. */
const meant = (...ranks: number[]) => ranks.map((rank) => candidate(`m${rank}`, 0.5 - rank / 100, null, rank, 1 - rank / 50))
const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ passage }) => passage.id)
/** `share` of the question's words is in the passages that keywords found, and none in the others. */
const sharing = (share: number) => (candidates: readonly Candidate[]) =>
  candidates.map(({ passage }) => (passage.id.startsWith('word') ? share : 0))
const most = sharing(0.7)

describe('reserved places', () => {
  test('a passage without a word of the question gets the third place and a reason, and scores still fall', () => {
    const given = [...byWords(10), ...meant(1)]
    const placed = promoteNearest(given, most)
    expect(idsOf(placed)).toEqual(['word1', 'word2', 'm1', ...idsOf(given.slice(2, 10))])
    expect(placed[2]!.stages.reserved).toEqual({ rank: 3, reason: expect.stringContaining('has rank 1 by meaning') })
    for (let i = 1; i < placed.length; i++) expect(placed[i]!.score).toBeLessThanOrEqual(placed[i - 1]!.score)
  })

  test('begin with the second place when the passage there has few of the words, and with the first when it has very few', () => {
    const given = [...byWords(10), ...meant(1, 2, 3, 4, 5)]
    expect(idsOf(promoteNearest(given, sharing(0.6))).slice(0, 7)).toEqual(['word1', 'm1', 'm2', 'm3', 'm4', 'word2', 'word3'])
    expect(idsOf(promoteNearest(given, sharing(0.4))).slice(0, 6)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'word1'])
  })

  test('a passage with few words keeps its place when it is nearer than the waiting passage', () => {
    const near = candidate('word1', 1, 1, 1, 0.99)
    const placed = promoteNearest([near, ...byWords(9).slice(1), ...meant(2)], sharing(0.4))
    expect(idsOf(placed).slice(0, 3)).toEqual(['word1', 'm2', 'word2'])
  })

  test('none when one of the best passages has most words and is near in meaning, and none for a passage with any word', () => {
    const near = candidate('word1', 1, 1, 2, 0.95)
    const given = [near, ...byWords(9).slice(1), ...meant(1)]
    expect(promoteNearest(given, most)).toBe(given)
    const stray = [...byWords(10), candidate('word-beyond', 0.3, null, 1)]
    expect(promoteNearest(stray, most)).toBe(stray)
  })

  test('a passage that has all words but another meaning, as in any large library, does not keep them from others', () => {
    expect(idsOf(promoteNearest([...byWords(10), ...meant(1)], sharing(1))).slice(0, 4)).toEqual([
      'word1',
      'word2',
      'm1',
      'word3',
    ])
  })

  test('at most three among passages with the words, nearest first, and none for what is far behind', () => {
    const placed = promoteNearest([...byWords(10), ...meant(4, 1, 11, 3, 5)], most)
    expect(idsOf(placed).slice(0, 6)).toEqual(['word1', 'word2', 'm1', 'm3', 'm4', 'word3'])
    expect(new Set(idsOf(placed)).size).toBe(15)
    const far = candidate('far', 0.2, null, 5, 0.6)
    expect(idsOf(promoteNearest([...byWords(10), ...meant(1), far], most)).slice(0, 4)).toEqual(['word1', 'word2', 'm1', 'word3'])
  })

  test('none when keywords found nothing, or found the nearest passage', () => {
    const given = meant(1, 2, 3, 4)
    expect(promoteNearest(given, most)).toBe(given)
    const both = [...byWords(6), candidate('both', 0.2, 7, 1)]
    expect(promoteNearest(both, most)).toBe(both)
  })
})

describe('in a search', () => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await makeFixture()
    await fixture.add('refunds.txt', ['Purchases are reimbursed within thirty days of delivery; the refund is paid to the card.'])
    for (let i = 1; i <= 12; i++)
      await fixture.add(`stray${i}.txt`, [
        `Come back to hall ${i} where the money box of the museum stands beside lamp number ${i}00.`,
      ])
    await fixture.add('case.txt', ['Case AB-4711 was opened by Mr Kowalczyk on Monday.'])
    for (let i = 1; i <= 8; i++)
      await fixture.add(`court${i}.txt`, [`The judge of court ${i} heard the plaintiff and adjourned the lawsuit.`])
  })
  afterAll(() => fixture.cleanUp())
  const names = (hits: { document: { name: string } }[]) => hits.map(({ document }) => document.name)

  test('a question about money returned finds the refund policy among the first five, and explain says why', async () => {
    const { hits } = await fixture.ask('how can I have the price I paid given back', {}, { reranker: createBuiltinReranker() })
    const at = names(hits).indexOf('refunds.txt')
    expect(at).toBeGreaterThanOrEqual(0)
    expect(at).toBeLessThan(5)
  })

  test.each(['AB-4711', 'Kowalczyk', '"opened by Mr Kowalczyk"', 'case opened Monday'])(
    '%s: what has all words keeps its place',
    async (query) => {
      const { hits } = await fixture.ask(query, {}, { reranker: createBuiltinReranker() })
      expect(names(hits)[0]).toBe('case.txt')
      expect(hits.every(({ stages }) => stages.reserved === null)).toBe(true)
    },
  )

  test('keyword and vector mode reserve nothing, and result pages neither repeat nor skip', async () => {
    for (const mode of ['keyword', 'vector'] as const) {
      const { hits } = await fixture.ask('money back', { mode })
      expect(hits.every(({ stages }) => stages.reserved === null)).toBe(true)
    }
    const all = await fixture.ask('refund of money', { limit: 12 })
    const pages = await Promise.all([0, 4, 8].map((offset) => fixture.ask('refund of money', { limit: 4, offset })))
    expect(pages.flatMap(({ hits }) => names(hits))).toEqual(names(all.hits))
  })
})
