import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countWords, cutToTokens, estimateSubwords, splitByTokens, tokenCounter } from '../../../src/text/model-tokens.ts'

/** A text, and how many tokens the tokenizers of three models make of it. */
interface TokenCounts {
  name: string
  text: string
  bert: number
  gemma: number
  qwen: number
}

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

describe('the counters of known tokenizers', () => {
  const lines = JSON.parse(readFileSync(new URL('../../fixtures/token-counts.json', import.meta.url), 'utf8')) as TokenCounts[]

  test.each(lines)('$name: exact for BERT, within 15 % for Gemma and 25 % for Qwen', ({ text, bert, gemma, qwen }) => {
    expect(tokenCounter('bert')(text)).toBe(bert)
    expect(Math.abs(tokenCounter('gemma')(text) / gemma - 1)).toBeLessThanOrEqual(0.15)
    expect(Math.abs(tokenCounter('qwen')(text) / qwen - 1)).toBeLessThanOrEqual(0.25)
  })
  test('the mean over all texts is within 5 % for each', () => {
    for (const tokenizer of ['gemma', 'qwen'] as const) {
      const ratios = lines.map((line) => tokenCounter(tokenizer)(line.text) / line[tokenizer])
      expect(Math.abs(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length - 1)).toBeLessThan(0.05)
    }
  })
  test('a word without an end counts as one unknown word for BERT, and takes no time', () => {
    expect(tokenCounter('bert')('a'.repeat(1_000_000))).toBe(1)
  })
})

test('splits a text that is too long, and loses nothing', () => {
  const text = 'The tenant pays the rent on the first working day of each month. '.repeat(40).trim()
  const parts = splitByTokens(text, 100, tokenCounter('bert'))
  expect(parts.length).toBeGreaterThan(4)
  for (const part of parts) expect(tokenCounter('bert')(part)).toBeLessThanOrEqual(100)
  expect(parts.join(' ')).toBe(text)
  expect(splitByTokens('short', 100, tokenCounter('bert'))).toEqual(['short'])
  expect(splitByTokens('', 100, tokenCounter('bert'))).toEqual([''])
})
