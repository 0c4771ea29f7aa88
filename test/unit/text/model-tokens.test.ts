import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countWords, cutToTokens, estimateSubwords } from '../../../src/text/model-tokens.ts'

describe('the estimate of subword tokens', () => {
  test.each([
    // Words, and characters that some tokenizers count one by one: digits, symbols, letters of other alphabets, Chinese characters.
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['Invoice 2024-0815: 1,234.56 EUR', 20],
    ['договор', 7],
    ['合同自签字之日起生效', 10],
  ])('%j is not below %i', (text, tokens) => {
    expect(estimateSubwords(text)).toBeGreaterThanOrEqual(tokens)
  })
  test('is not far above for English prose', () => {
    const text =
      'The tenant shall pay the rent on the first day of each month and the landlord shall keep the house in good order.'
    expect(estimateSubwords(text)).toBeLessThan(text.split(' ').length * 2)
  })
})

test('counts about the words that people count', () => {
  expect(countWords('The tenant pays the rent.')).toBe(5)
  expect(countWords('東京タワー')).toBe(5)
  expect(countWords('')).toBe(0)
  expect(countWords('ሰላም ለዓለም')).toBe(2)
  expect(countWords('Tiếng Việt')).toBe(2)
})

test('cuts a text to a number of tokens, never within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (text, limit) => {
      const cut = cutToTokens(text, limit)
      expect(text.startsWith(cut)).toBe(true)
      expect(estimateSubwords(cut)).toBeLessThanOrEqual(limit)
      expect(cut.isWellFormed()).toBe(text.isWellFormed() || cut.isWellFormed())
    }),
  )
})
