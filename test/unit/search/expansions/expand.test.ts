import { describe, expect, test } from 'vitest'
import { createMatcher, expand } from '../../../../src/search/expansions/expand.ts'
import { queryWords } from '../../../../src/text/analyse.ts'

const expandOf = (query: string, texts = [query]) => expand({ texts, words: queryWords(query), synonyms: [] })
const found = (query: string, texts?: string[]) =>
  Object.fromEntries(expandOf(query, texts).map(({ typed, alternatives }) => [typed, alternatives.map(({ text }) => text)]))

describe('the shipped synonyms', () => {
  test.each([
    ['What was the COGS in 2018?', 'COGS', 'cost of sales'],
    ['capital expenditures of the group', 'capital expenditures', 'capex'],
    ['Income Statement', 'Income Statement', 'statement of operations'],
    ['statements of operations', 'statements of operations', 'income statement'],
    ['how to sign an NDA', 'NDA', 'non-disclosure agreement'],
    ['the T&C of the shop', 'T&C', 'terms and conditions'],
    ['restart a k8s node', 'k8s', 'kubernetes'],
    ['how many days of PTO', 'PTO', 'paid time off'],
    ['the IT department', 'IT', 'information technology'],
  ])('expand %j', (query, typed, other) => {
    expect(found(query)[typed]).toContain(other)
  })

  test.each([
    ['an abbreviation that is an ordinary word here', 'how does it work'],
    ['words that only begin like an entry', 'to local lifting'],
    ['a question in another language', 'Wie hoch ist das EBITDA der Firma'],
  ])('do not expand %s', (_what, query) => {
    expect(found(query)).toEqual({})
  })

  test('expand nothing inside of quotes', () => {
    expect(found('capex COGS', ['capex '])).not.toHaveProperty('COGS')
  })

  test('are no targets when the index cannot tell them from ordinary words', () => {
    expect(found('information technology budget')).toEqual({})
    expect(Object.values(found('terms and conditions')).flat()).not.toContain('t&c')
  })
})

test('the longest phrase counts where phrases overlap', () => {
  expect(Object.keys(found('the cash flow statement of income'))).toEqual(['cash flow statement'])
})

test('a phrase that repeats is expanded once, and counts as often as the question has it', () => {
  expect(expandOf('COGS or cogs')).toMatchObject([
    { typed: 'COGS', times: 2, own: [queryWords('cogs')[0]!.terms, queryWords('cogs')[0]!.terms] },
  ])
})

test('expands a limited number of words to a limited number of others', () => {
  const many = expandOf('capex opex cogs ebitda npv irr wacc ltv ytd yoy qoq cagr gaap ifrs')
  expect(many).toHaveLength(8)
  for (const { alternatives } of many) expect(alternatives.length).toBeLessThanOrEqual(6)
})

test.each([
  ['colour', 'color'],
  ['favorite', 'favourite'],
  ['organisation', 'organization'],
  ['analyze', 'analyse'],
  ['centre', 'center'],
  ['licence', 'license'],
  ['travelled', 'traveled'],
])('finds the other spelling of %s', (word, other) => {
  expect(found(word)).toEqual({ [word]: [other] })
})

test.each(['for', 'four', 'hour', 'tour', 'our', 'minor', 'size', 'rise', 'hundred', 'later'])(
  'knows no other spelling of %s',
  (word) => {
    expect(found(word)).toEqual({})
  },
)

test("a user's synonyms work in any language and direction, in their project only", () => {
  const matcher = createMatcher([
    { words: ['Kfz'], expandsTo: ['Kraftfahrzeug'] },
    { words: ['Wohnung', 'Apartment'], expandsTo: null },
  ])
  const ask = (query: string) =>
    expand({ texts: [query], words: queryWords(query), synonyms: [{ projectId: 'prj_1', matcher }] }).flatMap(
      ({ alternatives }) => alternatives,
    )
  expect(ask('Wo ist der KFZ-Brief')).toMatchObject([{ text: 'Kraftfahrzeug', source: 'project', projectId: 'prj_1' }])
  expect(ask('Kraftfahrzeug')).toEqual([])
  expect(ask('wohnung')).toMatchObject([{ text: 'Apartment' }])
  expect(ask('Apartments')).toMatchObject([{ text: 'Wohnung' }])
})
