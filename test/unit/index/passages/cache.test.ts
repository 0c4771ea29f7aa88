import { expect, test } from 'vitest'
import type { Passage } from '../../../../src/core/passage.ts'
import { PassageCache } from '../../../../src/index/passages/cache.ts'
import { stored } from '../../../support/passage-table.ts'

const texts = (chars: number): Passage => stored('doc_1', 0, { text: 'x'.repeat(chars) })

test('never holds more bytes than its limit', () => {
  const cache = new PassageCache(100_000)
  for (let row = 0n; row < 1_000n; row++) {
    cache.set(row, texts(Number((row * 7_919n) % 4_000n)))
    expect(cache.size).toBeLessThanOrEqual(100_000)
  }
  expect(cache.size).toBeGreaterThan(50_000)
  cache.set(1_000n, texts(110_000))
  expect(cache.get(1_000n)).toBeUndefined()
  expect(cache.get(999n)).toBeDefined()
})

test('drops the passage that was used least recently', () => {
  const cache = new PassageCache(5_500)
  for (const row of [1n, 2n, 3n]) cache.set(row, texts(1_000))
  cache.get(1n)
  cache.set(4n, texts(1_000))
  expect([1n, 2n, 3n, 4n].map((row) => cache.get(row) !== undefined)).toEqual([true, false, true, true])
})

test('counts one byte for a Latin character and two for others', () => {
  const bytesOf = (text: string): number => {
    const cache = new PassageCache(1_000_000)
    cache.set(1n, stored('doc_1', 0, { text }))
    return cache.size
  }
  const empty = bytesOf('')
  expect(bytesOf('x'.repeat(1_000)) - empty).toBe(1_000)
  expect(bytesOf('é\n'.repeat(500)) - empty).toBe(1_000)
  expect(bytesOf('x'.repeat(999) + 'ж') - empty).toBe(2_000)
})

test('counts a passage once, however often it is put in, and not at all after it is deleted', () => {
  const cache = new PassageCache(100_000)
  for (let i = 0; i < 10; i++) cache.set(1n, texts(1_000))
  const once = cache.size
  cache.set(2n, texts(1_000))
  expect(cache.size).toBe(2 * once)
  cache.delete(1n)
  cache.delete(2n)
  cache.delete(3n)
  expect(cache.size).toBe(0)
})
