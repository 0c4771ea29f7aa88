import { describe, expect, test, vi } from 'vitest'
import { readSynonymLine, type SynonymRule } from '../../../../src/core/synonyms.ts'
import { expand, type OwnSynonyms } from '../../../../src/search/expansions/expand.ts'
import { hasEffect, SynonymMatcher } from '../../../../src/search/expansions/synonym-matcher.ts'
import { queryWords } from '../../../../src/text/analyse.ts'

const expandOf = (query: string, texts = [query]) => expand({ texts, words: queryWords(query), synonyms: null })
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

describe("a project's synonyms", () => {
  const rule = (line: string) => readSynonymLine(line) as SynonymRule
  const synonymsOf = (...projects: string[][]): OwnSynonyms => {
    const matcher = new SynonymMatcher('project')
    for (const [i, lines] of projects.entries()) for (const line of lines) matcher.add(rule(line), `prj_${i}`)
    return { matcher, projectIds: null }
  }
  const ask = (query: string, ...projects: string[][]) =>
    expand({ texts: [query], words: queryWords(query), synonyms: synonymsOf(...projects) }).flatMap(
      ({ alternatives }) => alternatives,
    )
  const textsOf = (query: string, ...lines: string[]) => ask(query, lines).map(({ text }) => text)

  test.each([
    ['one direction', 'Wo ist der KFZ-Brief', 'Kfz => Kraftfahrzeug', ['Kraftfahrzeug']],
    ['the other direction', 'Kraftfahrzeug', 'Kfz => Kraftfahrzeug', []],
    ['both directions', 'wohnung', 'Wohnung, Apartment', ['Apartment']],
    ['an English plural', 'Apartments', 'Wohnung, Apartment', ['Wohnung']],
    ['a German plural', 'alle Mietverträge', 'Mietvertrag, Pachtvertrag', ['Pachtvertrag']],
    ['a Russian plural', 'договоры', 'договор, соглашение', ['соглашение']],
    ['accents', 'resume', 'résumé, CV', ['CV']],
    ['a phrase', 'the Blue Whale project', 'blue whale => project 42', ['project 42']],
    ['a part of a phrase', 'the blue project', 'blue whale => project 42', []],
    ['a name with digits', 'status of model 3', 'Model 3, MX-3', ['MX-3']],
    ['a name with one letter', 'ascorbic acid', 'vitamin C, ascorbic acid', ['vitamin C']],
    ['Chinese within a sentence', '今年资本支出增长多少', '资本支出, 资本开支', ['资本开支']],
    ['Japanese with English', '契約書を探す', '契約書 => contract', ['contract']],
    ['Korean', '자본 지출 보고서', '자본지출, 설비투자', ['설비투자']],
    ['an acronym in small letters', 'the cv', 'CV => résumé', ['résumé']],
    ['an acronym in capitals only', 'how does it work', 'IT => Informatik', []],
  ])('work with %s', (_what, query, line, found) => {
    expect(textsOf(query, line)).toEqual(found)
  })

  test('use the characters of a run and their pairs, as the index does', () => {
    const [expansion] = expand({
      texts: ['查资本额'],
      words: queryWords('查资本额'),
      synonyms: synonymsOf(['资本 => 股本金']),
    })
    expect(expansion).toMatchObject({ typed: '资本', own: [['资'], ['资本'], ['本']] })
    expect(expansion!.alternatives[0]!.words).toEqual([['股'], ['股本'], ['本'], ['本金'], ['金']])
  })

  test('count only in the projects that have them, and once for all of these', () => {
    const found = ask('blaufuchs', ['Blaufuchs => arctic fox'], ['Blaufuchs => arctic fox, fur'], ['other, word'])
    expect(found).toMatchObject([
      { text: 'arctic fox', source: 'project', scope: { kind: 'only', projectIds: new Set(['prj_0', 'prj_1']) } },
      { text: 'fur', scope: { kind: 'only', projectIds: new Set(['prj_1']) } },
    ])
  })

  test('count only in the searched projects', () => {
    const { matcher } = synonymsOf(['zebu => cattle'], ['zebu => ox', 'yak => ox'])
    const synonyms = { matcher, projectIds: new Set(['prj_1']) }
    const [expansion] = expand({ texts: ['zebu'], words: queryWords('zebu'), synonyms })
    expect(expansion!.alternatives.map(({ text }) => text)).toEqual(['ox'])
    expect(['yak', 'zebu', 'gnu'].map((word) => matcher.hasWord(word, new Set(['prj_0'])))).toEqual([false, true, false])
  })

  test('cost little, however many rules and projects have the words of a long question', () => {
    const many = Array.from({ length: 2000 }, (_, i) => ['a, bovine', `a ${'a '.repeat(40)}${i}, c${i}`])
    const synonyms = synonymsOf(...many)
    const query = 'a à â á '.repeat(500)
    const matches = vi.spyOn(synonyms.matcher, 'matchesAt')
    const [expansion] = expand({ texts: [query], words: queryWords(query), synonyms })
    expect(expansion).toMatchObject({ typed: 'a', alternatives: [{ text: 'bovine' }] })
    expect(expansion!.alternatives[0]!.scope.projectIds.size).toBe(2000)
    expect(matches.mock.calls.length).toBe(200)
  })

  test('replace the shipped ones when they go one way, and add to them otherwise', () => {
    const found = ask('AC repair', ['AC => alternating current'], ['AC, account code'])
    expect(found.map(({ text, scope }) => [text, scope.kind, [...scope.projectIds]])).toEqual([
      ['alternating current', 'only', ['prj_0']],
      ['account code', 'only', ['prj_1']],
      ['air conditioning', 'except', ['prj_0']],
    ])
    const same = ask('capex', ['capex, capital expenditure'])
    expect(same[0]).toMatchObject({ text: 'capital expenditure', source: 'project' })
    expect(same.find(({ text, source }) => text === 'capital expenditure' && source === 'built_in')!.scope).toEqual({
      kind: 'except',
      projectIds: new Set(['prj_0']),
    })
  })

  test('are limited for each project and in all', () => {
    const lines = (prefix: string) => Array.from({ length: 9 }, (_, i) => `zebu => ${prefix}${i}x`)
    const found = ask('zebu', lines('a'), lines('b'), lines('c'))
    expect(found).toHaveLength(12)
    expect(found.filter(({ scope }) => scope.projectIds.has('prj_0'))).toHaveLength(6)
  })

  test.each(['running => runnings', 'thing => it', 'x => T&C', 'IT, THE'])('have no effect: %s', (line) => {
    expect(hasEffect(rule(line))).toBe(false)
  })
})
