import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance } from '../../../src/core/edit-distance.ts'

test.each([
  ['rent', 'rent', 0],
  ['rnet', 'rent', 1],
  ['ret', 'rent', 1],
  ['rentt', 'rent', 1],
  ['runt', 'rent', 1],
  ['rnte', 'rent', 2],
  ['agremeent', 'agreement', 1],
  ['agrement', 'agreements', 2],
  ['rent', 'lease', 3],
])('the distance from %s to %s is %i in both directions', (a, b, expected) => {
  expect(editDistance(a, b, 2)).toBe(expected)
  expect(editDistance(b, a, 2)).toBe(expected)
})

test('one edit anywhere in a word is a distance of at most 1', () => {
  fc.assert(
    fc.property(wordOf('abcd'), fc.nat(), fc.constantFrom(0, 1, 2, 3), (word, at, kind) => {
      const i = at % (word.length - 1)
      const edited = [
        word.slice(0, i) + word.slice(i + 1),
        `${word.slice(0, i)}x${word.slice(i)}`,
        `${word.slice(0, i)}x${word.slice(i + 1)}`,
        word.slice(0, i) + word[i + 1]! + word[i]! + word.slice(i + 2),
      ]
      expect(editDistance(word, edited[kind]!, 1)).toBeLessThanOrEqual(1)
    }),
  )
})

test('the limit changes no distance below it', () => {
  fc.assert(
    fc.property(wordOf('abcd'), wordOf('abcd'), (a, b) => {
      expect(editDistance(a, b, 2)).toBe(Math.min(3, editDistance(a, b, 20)))
    }),
  )
})

function wordOf(letters: string): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...letters), minLength: 3, maxLength: 10 })
}
