import { expect, test } from 'vitest'
import { analyseQuery } from '../../../src/text/analyse.ts'
import { highlight } from '../../../src/text/highlight.ts'

const marked = (text: string, query: string): string[] =>
  highlight(text, analyseQuery(query)).map(([start, end]) => text.slice(start, end))

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
  expect(highlight('notice period', analyseQuery('notice period'))).toEqual([
    [0, 6],
    [7, 13],
  ])
})
test('marks nothing for an empty query', () => {
  expect(highlight('some text', [])).toEqual([])
})
