import fc from 'fast-check'
import { expect, test } from 'vitest'
import { phraseWords } from '../../../src/text/phrase.ts'
import { analysed, DIMENSIONS, passage } from '../../conformance/passage-index.ts'
import { createMemoryIndexStore, passes } from '../../support/memory-passage-index.ts'
import { keywordSearch } from '../../support/search-index.ts'

// Words that become another term by language, several terms, or one term where a phrase has two.
const WORDS = [
  'the',
  'of',
  'rents',
  'renting',
  'Häuser',
  'häuser',
  'de',
  'huizen',
  'maxTokens',
  'MAXTOKENS',
  'ISO27001',
  'e-mail',
  'U.S.A.',
  '1,234.50',
  'don’t',
  'donʼt',
  "don't",
  'tenants’',
  'Ku\u0308ndigung',
  'Kündigung',
  '押金条款',
  '押金',
  '金',
  'iPhone15を買う',
  'ﬁle',
  'C++',
  'a',
  'ΟΔΟΣ',
  'дома',
]
const text = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', '  ', '\n', ', ', '-', '. ', '')), { maxLength: 12 })
  .map((words) => words.flat().join(''))
const change = fc.constantFrom<((phrase: string) => string)[]>(
  (phrase) => phrase,
  (phrase) => phrase.toUpperCase(),
  (phrase) => phrase.normalize('NFD'),
  (phrase) => phrase.replace(/['’ʼ]/g, "'"),
  (phrase) => phrase.replace(/['’ʼ]/g, 'ʼ'),
  (phrase) => phrase.replace(/\s+/g, ' \n'),
)

test('a search finds exactly the texts with a phrase, whatever a text makes of its words', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.nat(200),
      fc.integer({ min: 1, max: 30 }),
      change,
      async (texts, from, length, changed) => {
        const phrase = changed(texts[0]!.slice(from % Math.max(1, texts[0]!.length)).slice(0, length))
        fc.pre(/[\p{L}\p{N}]/u.test(phrase))
        const passages = texts.map((text, n) => analysed(passage('doc_1', n, { text, title: '', heading: '', context: '' })))
        const index = await createMemoryIndexStore().open({ id: 'idx', dimensions: DIMENSIONS })
        await index.put([{ documentId: 'doc_1', isNew: true, passages }])
        for (const filter of [
          { phrases: [phrase] },
          { withoutPhrases: [phrase] },
          { phrases: [phrase], withoutPhrases: ['a'] },
        ]) {
          const found = await keywordSearch(index, ['passage'], { ...filter }, 100)
          const expected = passages.filter((one) => passes(one, filter)).map(({ id }) => id)
          expect(found.map(({ id }) => id).toSorted()).toEqual(expected)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('each word of a phrase has few terms, and a phrase without words has none', () => {
  expect(phraseWords('++ ...')).toEqual([])
  expect(phraseWords('押')).toEqual([])
  const words = phraseWords(Array.from({ length: 500 }, () => 'a').join(' '))
  expect(words).toHaveLength(500)
  for (const { terms } of [...words, ...phraseWords("tenants' houses")]) expect(terms.length).toBeLessThan(40)
})
