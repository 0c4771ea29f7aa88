import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type OperatorFilter, type ParsedQuery, parseQuery } from '../../../src/search/parse.ts'
import { errorCode } from '../../support/codes.ts'

const PDF = 'application/pdf'
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test.each<[query: string, text: string, filter: OperatorFilter]>([
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
  ['rent path:contracts/2026/', 'rent', { operatorPaths: ['contracts/2026/'] }],
  ['path:"my notes/" rent PATH:b -path:drafts/', 'rent', { operatorPaths: ['my notes/', 'b'], withoutPaths: ['drafts/'] }],
  ['rent tag:signed tag:"to do" -tag:draft', 'rent', { operatorTags: ['signed', 'to do'], withoutTags: ['draft'] }],
  ['rent type:pdf, due', 'rent due', { operatorTypes: [PDF] }],
  ['rent type:md type:text/html -type:Word', 'rent -type:Word', { operatorTypes: ['text/markdown', 'text/html'] }],
  ['rent -type:docx -type:application/pdf', 'rent', { withoutTypes: [DOCX, PDF] }],
])('%j', (query, text, filter) => {
  const { free: _, ...parsed } = parseQuery(query)
  expect(parsed).toEqual({ text, filter })
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
  'type:2 diabetes, blood type: A, path: or tag: alone',
  'empty "" and "..." quotes, don’t',
  '-',
  '"',
  `${'a text that somebody pasted from somewhere else '.repeat(5)} "with quotes" -and dashes name:x`,
])('reads no operator in %j', (query) => {
  expect(parseQuery(query)).toEqual({ text: query, free: [[0, query.length]], filter: {} })
})

test('only words outside of quotes and operators may be corrected', () => {
  const query = 'the "thrid day" rnet -depsoit name:laese payed'
  expect(parseQuery(query).free.map(([from, to]) => query.slice(from, to).trim())).toEqual(['the', 'rnet', '', 'payed'])
})

test('accepts 1,000 characters in operators, and refuses more', () => {
  const half = 'k'.repeat(500)
  expect(parseQuery(`"${half}" -"${half}"`).filter.phrases).toEqual([half])
  expect(() => parseQuery(`"${half}" -"${half}" name:x`)).toThrow(
    expect.objectContaining({
      code: errorCode('invalid_query'),
      message: expect.stringContaining('1001 characters. The limit is 1000.'),
    }),
  )
})

describe('refuses, and says what to do,', () => {
  test.each(['-deposit', '-"late fee" -deposit', 'name:lease', '-a name:b …'])(
    'a query without a word to look for: %j',
    (query) => {
      expect(() => parseQuery(query)).toThrow(
        expect.objectContaining({ code: errorCode('invalid_query'), message: expect.stringContaining('Add a word') }),
      )
    },
  )
  test('more than 20 operators', () => {
    const query = Array.from({ length: 21 }, (_, i) => `"w${i}"`).join(' ')
    expect(() => parseQuery(query)).toThrow(
      expect.objectContaining({ code: errorCode('invalid_query'), message: expect.stringContaining('21') }),
    )
  })
})

test('loses no letter of any text: each is asked, quoted, excluded or part of a name', () => {
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
