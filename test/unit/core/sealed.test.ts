import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SealedNumbers } from '../../../src/core/sealed.ts'

const numbers = fc.integer({ min: 0, max: 2 ** 48 - 1 })

test('every number has one sealed form, which only the same key opens', () => {
  fc.assert(
    fc.property(fc.string(), numbers, (key, number) => {
      const sealed = new SealedNumbers(key).seal(number)
      expect(Number.isSafeInteger(sealed) && sealed >= 0 && String(sealed).length <= 15).toBe(true)
      expect(new SealedNumbers(key).open(sealed)).toBe(number)
    }),
  )
  const sealed = new SealedNumbers('one').seal(1_800_000_000_000)
  expect(new SealedNumbers('two').open(sealed)).not.toBe(1_800_000_000_000)
})

test('0 stays 0', () => {
  const ids = new SealedNumbers('key')
  expect([ids.seal(0), ids.open(0)]).toEqual([0, 0])
})

test('numbers that follow one another have sealed forms without an order', () => {
  const ids = new SealedNumbers('key')
  const sealed = Array.from({ length: 1000 }, (_, i) => ids.seal(1_800_000_000_000 + i))
  const rises = sealed.filter((one, i) => i > 0 && one > sealed[i - 1]!).length
  expect(rises).toBeGreaterThan(350)
  expect(rises).toBeLessThan(650)
  expect(new Set(sealed).size).toBe(1000)
})

test('a number that no instance has sealed opens as null or as another number', () => {
  const ids = new SealedNumbers('key')
  for (const sealed of [-1, 0.5, NaN, 2 ** 48, 1e15]) expect(ids.open(sealed)).toBeNull()
  expect(() => ids.seal(2 ** 48)).toThrow(RangeError)
  expect(() => ids.seal(-1)).toThrow(RangeError)
})
