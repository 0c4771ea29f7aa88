import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type OperatorFilter, type ParsedQuery, parseQuery } from '../../../src/search/parse.ts'
import { errorCode } from '../../support/codes.ts'

const NO_FILTER: OperatorFilter = { phrases: [], withoutPhrases: [], nameParts: [], withoutNameParts: [] }

test.each<[query: string, text: string, filter: Partial<OperatorFilter>]>([
  ['"working day" rent', 'working day rent', { phrases: ['working day'] }],
  ['rent "third\n working day" due', 'rent third working day due', { phrases: ['third\n working day'] }],
  ['„dritter Werktag“ Miete', 'dritter Werktag Miete', { phrases: ['dritter Werktag'] }],
  ['„dritter Werktag” Miete', 'dritter Werktag Miete', { phrases: ['dritter Werktag'] }],
  ['“working day”', 'working day', { phrases: ['working day'] }],
  ['”tredje dagen” hyra', 'tredje dagen hyra', { phrases: ['tredje dagen'] }],
  ['« jour ouvrable » loyer', 'jour ouvrable loyer', { phrases: ['jour ouvrable'] }],
  ['»dritter Werktag«', 'dritter Werktag', { phrases: ['dritter Werktag'] }],
  ['「第三営業日」家賃', '第三営業日 家賃', { phrases: ['第三営業日'] }],
  ['合同"押金"条款', '合同 押金 条款', { phrases: ['押金'] }],
  ['who are "the Methodists?"', 'who are the Methodists', { phrases: ['the Methodists'] }],
  ['rent -deposit', 'rent', { withoutPhrases: ['deposit'] }],
  ['-deposit rent', 'rent', { withoutPhrases: ['deposit'] }],
  ['rent -"late fee", due', 'rent , due', { withoutPhrases: ['late fee'] }],
  ['rent (-deposit)', 'rent (', { withoutPhrases: ['deposit'] }],
  ['rent -e-mail -C++ -AB-1234.', 'rent', { withoutPhrases: ['e-mail', 'C++', 'AB-1234'] }],
  ['rent name:lease', 'rent', { nameParts: ['lease'] }],
  ['Name:lease.pdf rent', 'rent', { nameParts: ['lease.pdf'] }],
  ['rent name:"lease 2018" -name:draft', 'rent', { nameParts: ['lease 2018'], withoutNameParts: ['draft'] }],
  ['rent -name:"old lease"', 'rent', { withoutNameParts: ['old lease'] }],
])('%j', (query, text, filter) => {
  const { free: _, ...parsed } = parseQuery(query)
  expect(parsed).toEqual({ text, filter: { ...NO_FILTER, ...filter } })
})

test.each([
  'when is the rent due?',
  'an unclosed "quote is a character',
  'a 5" pipe and a 6" pipe',
  'AB-1234 and e-mail, long-term',
  'rent - and a lone dash – here',
  'Privatpersonen und -organisationen, Ein- oder -ausgang',
  'docsearch --no-rerank ->',
  'note: the rent',
  'filename:lease http://example.org name: lease',
  'empty "" and "..." quotes, don’t',
  '-',
  '"',
  `${'a text that somebody pasted from somewhere else '.repeat(5)} "with quotes" -and dashes name:x`,
])('%j is all of it asked', (query) => {
  expect(parseQuery(query)).toEqual({ text: query, free: [[0, query.length]], filter: NO_FILTER })
})

test('what may be corrected is what stands outside of quotes and operators', () => {
  const query = 'the "thrid day" rnet -depsoit name:laese payed'
  expect(parseQuery(query).free.map(([from, to]) => query.slice(from, to).trim())).toEqual(['the', 'rnet', '', 'payed'])
})

describe('is refused with what to do', () => {
  test.each(['-deposit', '-"late fee" -deposit', 'name:lease', '-a name:b …'])('%j: nothing is asked', (query) => {
    expect(() => parseQuery(query)).toThrow(
      expect.objectContaining({ code: errorCode('invalid_query'), message: expect.stringContaining('Add a word') }),
    )
  })
  test('more of them than anybody means', () => {
    const query = Array.from({ length: 21 }, (_, i) => `"w${i}"`).join(' ')
    expect(() => parseQuery(query)).toThrow(
      expect.objectContaining({ code: errorCode('invalid_query'), message: expect.stringContaining('21') }),
    )
  })
})

test('any text is read without loss: its letters are asked, quoted, excluded or named', () => {
  const part = fc.oneof(
    fc.constantFrom('"', '„', '“', '-', 'name:', ' ', '«', '»', '(', 'rent', 'é', '押金', '5'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const query = parts.join('')
      let parsed: ParsedQuery
      try {
        parsed = parseQuery(query)
      } catch (error) {
        expect(error).toMatchObject({ code: errorCode('invalid_query') })
        return
      }
      const letters = (text: string) => [...text.replace(/name:?/gi, '').matchAll(/[\p{L}\p{N}]/gu)].map(String).toSorted()
      const { phrases: _, ...filter } = parsed.filter
      expect(letters([parsed.text, ...Object.values(filter).flat()].join(' '))).toEqual(letters(query))
    }),
    { numRuns: 500 },
  )
})
