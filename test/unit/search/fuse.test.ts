import fc from 'fast-check'
import { expect, test } from 'vitest'
import { append, fuse, type Hit } from '../../../src/search/fuse.ts'
import { newMatchedPassage } from '../../support/candidate.ts'

const hits = (scores: Record<string, number>): Hit[] =>
  Object.entries(scores)
    .map(([id, score]) => ({ passage: newMatchedPassage({ id, documentId: id, index: 0 }), score, wordFactor: 1 }))
    .sort((a, b) => b.score - a.score)

test('hybrid divides each channel by its best score, and squares and weighs the vectors', () => {
  const fused = fuse({ keyword: hits({ a: 8, b: 4 }), vector: hits({ b: 0.9, c: 0.45 }) }, 'hybrid', 0.5)
  expect(fused.map(({ passage, score }) => [passage.id, score])).toEqual([
    ['a', expect.closeTo(1 / 1.5)],
    ['b', expect.closeTo((0.5 + 0.5) / 1.5)],
    ['c', expect.closeTo((0.5 * 0.5 ** 2) / 1.5)],
  ])
  expect(fused[1]!.stages).toEqual({
    keyword: { rank: 2, score: 0.5 },
    vector: { rank: 1, score: 0.9 },
    fused: { rank: 2, score: expect.closeTo(2 / 3) },
    rerank: null,
    expansions: [],
    reserved: null,
  })
})

test('ties keep the keyword order', () => {
  const fused = fuse({ keyword: hits({ a: 2, b: 1 }), vector: hits({ b: 0.8, a: 0 }) }, 'hybrid', 0.5)
  expect(fused.map((candidate) => candidate.score)).toEqual([2 / 3, 2 / 3])
  expect(fused.map((candidate) => candidate.passage.id)).toEqual(['a', 'b'])
})

test('without vectors, hybrid keeps the keyword order; vector mode shows each cosine', () => {
  const keyword = hits({ a: 7, b: 6, c: 1 })
  expect(fuse({ keyword, vector: [] }, 'hybrid', 0.7).map((candidate) => candidate.passage.id)).toEqual(['a', 'b', 'c'])
  expect(fuse({ keyword, vector: [] }, 'keyword', 0.7).map((candidate) => candidate.score)).toEqual([1, 6 / 7, 1 / 7])
  expect(
    fuse({ keyword: [], vector: hits({ a: 0.8, b: -0.2, c: 1.0001 }) }, 'vector', 0.7).map((candidate) => [
      candidate.passage.id,
      candidate.score,
    ]),
  ).toEqual([
    ['c', 1],
    ['a', 0.8],
    ['b', 0],
  ])
  expect(fuse({ keyword, vector: hits({ b: -0.2 }) }, 'hybrid', 0.7).map(({ stages }) => stages.vector)).toEqual([
    null,
    null,
    null,
  ])
})

const id = fc.nat(9).map(String)
const channel = fc.dictionary(id, fc.double({ min: 0.01, max: 30, noNaN: true })).map(hits)
const cosines = fc.dictionary(id, fc.double({ min: -1, max: 1, noNaN: true })).map(hits)

test('scores are from 0 to 1 and fall with the rank, and each hit appears once', () => {
  fc.assert(
    fc.property(
      channel,
      cosines,
      fc.double({ min: 0, max: 3, noNaN: true }),
      fc.constantFrom('hybrid', 'vector', 'keyword'),
      (keyword, vector, weight, mode) => {
        const channels = { keyword: mode === 'vector' ? [] : keyword, vector: mode === 'keyword' ? [] : vector }
        const fused = fuse(channels, mode, weight)
        const scores = fused.map((candidate) => candidate.score)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
        const found = [...channels.keyword, ...channels.vector.filter((hit) => hit.score > 0 || mode === 'vector')].map(
          (hit) => hit.passage.id,
        )
        expect(fused.map((candidate) => candidate.passage.id).toSorted()).toEqual([...new Set(found)].toSorted())
        expect(fused.map((candidate) => candidate.stages.fused.rank)).toEqual(fused.map((_, i) => i + 1))
      },
    ),
  )
})

test('a deeper look moves no known candidate', () => {
  fc.assert(
    fc.property(channel, cosines, fc.nat(5), (keyword, vector, depth) => {
      const first = fuse({ keyword: keyword.slice(0, depth), vector: vector.slice(0, depth) }, 'hybrid', 0.4)
      const all = append(first, fuse({ keyword, vector }, 'hybrid', 0.4))
      expect(all.slice(0, first.length)).toEqual(first)
      const scores = all.map((candidate) => candidate.score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(new Set(all.map((candidate) => candidate.passage.id)).size).toBe(all.length)
      expect(all.map((candidate) => candidate.stages.fused.rank)).toEqual(all.map((_, i) => i + 1))
    }),
  )
})
