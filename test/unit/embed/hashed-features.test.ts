import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FeatureCounts } from '../../../src/embed/builtin.ts'

const entries = (counts: FeatureCounts): [number, number][] => {
  const all: [number, number][] = []
  counts.forEach((hash, count) => all.push([hash, count]))
  return all
}

test('counts like a map, in the order of first appearance, in spite of collisions', () => {
  const counts = new FeatureCounts()
  // Few different low bits, so that slots collide.
  const hash = fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: 0, max: 3 })).map(([high, low]) => high * 65_536 + low)
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, fc.integer({ min: 1, max: 5 }))), (added) => {
      const expected = new Map<number, number>()
      counts.clear()
      for (const [key, count] of added) {
        counts.add(key, count)
        expected.set(key, (expected.get(key) ?? 0) + count)
      }
      expect(entries(counts)).toEqual([...expected])
    }),
  )
})

test('grows without losing a count, and is empty after clear', () => {
  const counts = new FeatureCounts()
  for (let round = 0; round < 2; round++) for (let i = 0; i < 50_000; i++) counts.add(Math.imul(i, 0x9e3779b9), 1)
  const all = entries(counts)
  expect(all).toHaveLength(50_000)
  expect(all.every(([, count]) => count === 2)).toBe(true)
  counts.clear()
  expect(entries(counts)).toEqual([])
  counts.add(0, 1)
  expect(entries(counts)).toEqual([[0, 1]])
})
