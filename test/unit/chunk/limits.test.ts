import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkDocument } from '../../../src/chunk/chunk.ts'
import { type Block, documentText, type Page } from '../../../src/core/parsed.ts'
import { MAX_PASSAGE_CHARS } from '../../../src/core/text-limits.ts'
import { countWords, estimateSubwords, tokenCounter } from '../../../src/text/model-tokens.ts'

const KINDS = ['heading', 'paragraph', 'list_item', 'table_row', 'code'] as const

/** Scripts with and without blanks, symbols that cost no token, marks without a letter, characters of two code units, white space. */
const LETTERS = [
  '!',
  '. ',
  '=',
  'ab ',
  'ሰላም ',
  'ሰ',
  'ᏣᎳᎩ',
  'ⴰⵎⴰ ',
  'Việt ',
  'ﺍﻟ',
  'договор ',
  '合同',
  'ภาษา',
  '한글',
  '\u1112\u1161\u11ab',
]
const OTHERS = ['\u0301', 'e\u0301\u0302', '😀', '👩\u200D', '𓀀', '\u200D', ' ', '\n', ' \n', '\t', '!\n', 'x,', '1']

/** A few runs of one unit, each as long as several passages. */
const text = fc
  .array(fc.tuple(fc.constantFrom(...LETTERS, ...OTHERS), fc.integer({ min: 1, max: 9_000 })), { minLength: 1, maxLength: 6 })
  .map((runs) => runs.map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length))).join(''))

const pages = fc.array(fc.tuple(text, fc.constantFrom(...KINDS), fc.boolean()), { minLength: 1, maxLength: 3 }).map((list) =>
  list.map(([content, kind, isWhole], i): Page => {
    // Two blocks of a kind, divided between two units.
    const middle = content.length / 2 - ((content.charCodeAt(content.length / 2) & 0xfc00) === 0xdc00 ? 1 : 0)
    const at = isWhole ? [0, content.length] : [0, Math.floor(middle), content.length]
    const blocks = at.slice(1).map((end, k): Block => {
      return {
        kind,
        start: at[k]!,
        end,
        ...(kind === 'heading' ? { level: k + 1 } : {}),
        ...(kind === 'table_row' && { table: 1 }),
      }
    })
    return { number: i + 1, text: content.toWellFormed(), blocks: blocks.filter(({ start, end }) => start < end) }
  }),
)

const COUNTERS = {
  countWords,
  estimateSubwords,
  bert: tokenCounter('bert'),
  gemma: tokenCounter('gemma'),
  nothing: () => 0,
} as const

describe.each(Object.entries(COUNTERS))('with the token counter %s', (_, countTokens) => {
  test('in every script a passage is within its limit, exact, and no character is lost', () => {
    fc.assert(
      fc.property(pages, fc.constantFrom(32, 512, 8_000), (document, maxTokens) => {
        const whole = documentText(document)
        let at = 0
        let between = ''
        for (const { text: passage, charStart, charEnd, gap } of chunkDocument(document, { maxTokens, countTokens })) {
          expect(passage.length).toBeLessThanOrEqual(MAX_PASSAGE_CHARS)
          expect(gap.length).toBeLessThanOrEqual(MAX_PASSAGE_CHARS)
          expect(passage).toBe(whole.slice(charStart, charEnd))
          expect(passage.isWellFormed()).toBe(true)
          expect(charStart).toBeGreaterThanOrEqual(at)
          between += whole.slice(at, charStart)
          at = charEnd
        }
        expect((between + whole.slice(at)).trim()).toBe('')
      }),
      { numRuns: 60 },
    )
  })
})

test.each([
  ['exclamation marks', '!'.repeat(1_000_000)],
  ['Amharic', 'ሰላም ለዓለም '.repeat(100_000)],
  ['a letter with a million marks', `a${'\u0301'.repeat(1_000_000)}`],
  ['two letters a million blanks apart', `a${' '.repeat(1_000_000)}b`],
])('a document of %s has short passages', (_, content) => {
  const passages = chunkDocument([{ number: 1, text: content, blocks: [] }], { maxTokens: 512, countTokens: countWords })
  expect(Math.max(...passages.map(({ text: passage, gap }) => passage.length + gap.length))).toBeLessThanOrEqual(
    MAX_PASSAGE_CHARS,
  )
})

test('a passage of Amharic has about as many words as one of English', () => {
  const wordsIn = (sentence: string): number => {
    const content = sentence.repeat(500)
    const [first] = chunkDocument([{ number: 1, text: content, blocks: [] }], { maxTokens: 512, countTokens: countWords })
    return first!.text.split(' ').length
  }
  const ratio = wordsIn('ቤቱ በጣም ትልቅ ነው። ') / wordsIn('The house is big. ')
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})
