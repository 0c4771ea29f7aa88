import { expect, test } from 'vitest'
import { analyse, analyseQuery } from '../../../src/text/analyse.ts'
import { highlight, isQuickToHighlight, TermFinder } from '../../../src/text/highlight.ts'

const marksOf = (text: string, query: string): [number, number][] => highlight([text], analyseQuery(query))[0]!
const marked = (text: string, query: string): string[] => marksOf(text, query).map(([start, end]) => text.slice(start, end))

test('marks every form of the query words, and no stop word', () => {
  expect(marked('The contract was terminated; termination is final.', 'when is a contract terminated')).toEqual([
    'contract',
    'terminated',
    'termination',
  ])
})
test('marks a compound once, with the part that the query names', () => {
  expect(marked('Pump AB-1234 is old.', 'ab-1234')).toEqual(['AB-1234'])
  expect(marked('Set maxTokens here.', 'tokens')).toEqual(['Tokens'])
})
test('marks runs of Chinese as a whole, not single characters', () => {
  expect(marked('东京塔在东边，京都在西边。', '东京塔')).toEqual(['东京塔'])
  expect(marked('东京塔在东边。', '东')).toEqual(['东', '东'])
})
test('marks neighboring words separately', () => {
  expect(marksOf('notice period', 'notice period')).toEqual([
    [0, 6],
    [7, 13],
  ])
})
test('marks nothing for an empty query', () => {
  expect(marksOf('some text', '')).toEqual([])
})

test.each([
  ['a page of English results', 'The harbour master wrote a letter, twice.', 30_000, true],
  ['a page of German results', 'Die Kündigungsfrist beträgt für beide drei Monate. ', 20_000, true],
  ['a few Chinese sentences', '应在每个会计年度结束后提交', 2_000, true],
  ['a page of Chinese results', '应在每个会计年度结束后提交', 15_000, false],
  ['a page of part numbers', 'ab1-cd_2.', 15_000, false],
  ['many long English results', 'The harbour master wrote a letter, twice.', 200_000, false],
])('knows how long %s takes', (_, text, characters, isQuick) => {
  expect(isQuickToHighlight(['', text.repeat(characters / text.length)])).toBe(isQuick)
})

const TEXTS = [
  'The contract was terminated on 1,234.50 days; NASA and the U.S.A. agreed, but maxTokens of ISO27001 did not.',
  'PUMP AB-1234 IS OLD. AN E-MAIL ABOUT THE PUMP FOLLOWS.',
  'Ein Kündigungsschreiben der Straßenbau-Firma über die größte Na\u00efve\u2010Bayes-Tabelle und e\u2011Mail ist da.',
  'Bu kitap dini bir konuda, ama dini olmayan bir dil ile ve de çok iyi.',
  'La procédure d’appel n’est pas la même que l’appel lui-même: x_y_z, a-b-c-d-e-f-g-h et ex. 3.14.',
  'Отчёт о расходах и о доходах for the first quarter.',
  '东京塔在东边 and Tokyo-Tower 2024年 is in ｆｕｌｌ width. ภาษาไทย x',
  'one-two three.four five, six seven\u2014eight a.b.c 12-13-14 soft\u00adhyphen zero\u200dwidth',
  'no-',
  // Each of these names a property of every object.
  'The constructor has toString, valueOf, hasOwnProperty and __proto__.',
]
test('finds the places of each term that a complete analysis finds', () => {
  for (const text of TEXTS) {
    const tokens = analyse(text)
    for (const { term } of tokens) {
      const expected = tokens.filter((token) => token.term === term).map(({ start, end }) => ({ start, end }))
      expect(new TermFinder([term]).placesIn(text), `${term} in: ${text}`).toEqual(expected)
    }
  }
})
