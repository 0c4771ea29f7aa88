import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distance, inCaseOf, slipsIn, spelling } from '../../../src/text/spelling.ts'

const words = (question: string) => spelling(question).map(({ word, start, end }) => [word, question.slice(start, end)])

test('what may be misspelt: words of four letters and more, where they stand', () => {
  expect(words('Whre is the Kündigugn, pelase?')).toEqual([
    ['whre', 'Whre'],
    ['kündigugn', 'Kündigugn'],
    ['pelase', 'pelase'],
  ])
})

test.each([
  'ISO27001 AB1234 2024',
  'maxTokens getURL',
  'snake_case_nmae',
  'ann@exmaple.org',
  'www.exmaple.org',
  'C:\\Docs',
  'the NATO treaty'.slice(0, 8),
  '東京都庁 สัญญาเช่า',
  'which would have',
])('nothing of %j', (question) => {
  expect(words(question)).toEqual([])
})

test('capitals are a name among other words, and a question where there is nothing else', () => {
  expect(words('the NATO treaty')).toEqual([['treaty', 'treaty']])
  expect(words('RNET DUE').map(([word]) => word)).toEqual(['rnet'])
})

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
])('from %s to %s: %i', (a, b, expected) => {
  expect(distance(a, b, 2)).toBe(expected)
  expect(distance(b, a, 2)).toBe(expected)
})

test('one slip anywhere is at most 1, and the bound cuts nothing that is within it', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 3, maxLength: 10 })
  fc.assert(
    fc.property(letters, fc.nat(), fc.constantFrom(0, 1, 2, 3), (word, at, kind) => {
      const i = at % (word.length - 1)
      const slips = [
        word.slice(0, i) + word.slice(i + 1),
        `${word.slice(0, i)}x${word.slice(i)}`,
        `${word.slice(0, i)}x${word.slice(i + 1)}`,
        word.slice(0, i) + word[i + 1]! + word[i]! + word.slice(i + 2),
      ]
      expect(distance(word, slips[kind]!, 1)).toBeLessThanOrEqual(1)
    }),
  )
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      expect(distance(a, b, 2)).toBe(Math.min(3, distance(a, b, 20)))
    }),
  )
})

test('slips and letter case', () => {
  expect(['ren', 'rent', 'tenants', 'tenantss'].map(slipsIn)).toEqual([0, 1, 1, 2])
  expect([inCaseOf('rent', 'RNET'), inCaseOf('kündigung', 'Kündigugn'), inCaseOf('rent', 'rnet')]).toEqual([
    'RENT',
    'Kündigung',
    'rent',
  ])
})
