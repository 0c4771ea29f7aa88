import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blend } from '../../../src/rerank/model-reranker.ts'

const list = (...scores: number[]) => scores.map((score, i) => ({ id: String.fromCharCode(97 + i), score }))
const blendScores = (...args: Parameters<typeof blend>) => blend(...args).scores
const orderOf = (scores: ReadonlyMap<string, number>) =>
  [...scores]
    .toSorted(([, a], [, b]) => b - a)
    .map(([id]) => id)
    .join('')

test('retrieval decides at the top, the model further down', () => {
  const all = list(1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
  const { scores, features } = blend(all, new Map(all.map(({ id }, i) => [id, i === 10 ? 1 : 0])))
  expect(scores.get('a')).toBeCloseTo(0.75)
  expect(features.get('k')).toEqual({ retrieval: expect.closeTo(0.2), model: expect.closeTo(0.6) })
  expect(scores.get('d')).toBeCloseTo(0.42)
  expect(scores.get('k')).toBeCloseTo(0.8)
  expect(orderOf(scores)).toBe('kabcdefghij')
})

test('a candidate without a model score keeps its place', () => {
  const { scores } = blend(
    list(0.9, 0.8, 0.7, 0.6),
    new Map([
      ['a', 0],
      ['d', 1],
    ]),
  )
  expect(orderOf(scores)).toBe('dbca')
  expect(orderOf(blendScores(list(0.9, 0.8, 0.7), new Map([['b', 1]])))).toBe('abc')
})

test('any model scores give one order: nothing is added or dropped, and unscored candidates keep their places', () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true })
  const cases = fc.array(fc.record({ score, scored: fc.option(score) }), { maxLength: 30 })
  fc.assert(
    fc.property(cases, (all) => {
      const ranked = all.map(({ score: before }, i) => ({ id: `c${i}`, score: before })).toSorted((a, b) => b.score - a.score)
      const scored = new Map<string, number>(
        all.flatMap((one, i) => (one.scored === null ? [] : [[`c${i}`, one.scored] as const])),
      )
      const { scores } = blend(ranked, scored)
      const after: string[] = [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id)
      expect(after.toSorted()).toEqual(ranked.map(({ id }) => id).toSorted())
      for (const value of scores.values()) expect(value > 0 && value <= 1).toBe(true)
      ranked.forEach(({ id }, place) => {
        if (!scored.has(id)) expect(after[place]).toBe(id)
      })
    }),
  )
})
