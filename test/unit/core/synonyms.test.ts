import { describe, expect, test } from 'vitest'
import { formatSynonymRule, readSynonymLine, synonymKey, type SynonymRule } from '../../../src/core/synonyms.ts'

describe('a line', () => {
  test.each<[string, SynonymRule | null]>([
    ['capex, capital   expenditure', { words: ['capex', 'capital expenditure'], expandsTo: null }],
    ['a, b => c', { words: ['a', 'b'], expandsTo: ['c'] }],
    ['  ', null],
    ['# a, b', null],
    ['\\#1, first', { words: ['#1', 'first'], expandsTo: null }],
    ['Smith\\, John, John Smith', { words: ['Smith, John', 'John Smith'], expandsTo: null }],
    ['a \\=> b => c\\\\d', { words: ['a => b'], expandsTo: ['c\\d'] }],
    ['Kfz, KFZ, Auto,', { words: ['Kfz', 'Auto'], expandsTo: null }],
    ['x = y, z', { words: ['x = y', 'z'], expandsTo: null }],
  ])('%j is read', (line, rule) => {
    expect(readSynonymLine(line)).toEqual(rule)
  })

  test.each([
    ['capex', 'only one word'],
    ['Capex, CAPEX', 'only one word'],
    ['capex =>', 'on one side'],
    ['=> capex', 'on one side'],
    ['a => b => c', 'more than one "=>"'],
    ['capex => Capex', 'on both sides'],
    ['a, ---', 'without letters and digits: "---"'],
    [`a, ${'x'.repeat(101)}`, '101 characters; the limit is 100'],
    [Array.from({ length: 51 }, (_, i) => `w${i}`).join(','), '51 words and phrases; the limit is 50'],
    ['a, b\u0007', 'control characters'],
  ])('%j is refused', (line, part) => {
    expect(readSynonymLine(line)).toEqual({ fault: expect.stringContaining(part) })
  })
})

test.each<SynonymRule>([
  { words: ['#a, b', 'c => d', 'e\\', 'f'], expandsTo: null },
  { words: ['a='], expandsTo: ['>b', 'C, d'] },
])('a rule is written as a line that gives the rule again: %j', (rule) => {
  expect(readSynonymLine(formatSynonymRule(rule))).toEqual(rule)
})

test('rules are the same in any order and letter case, but not in another direction', () => {
  const key = (line: string) => synonymKey(readSynonymLine(line) as SynonymRule)
  expect(key('b, A')).toBe(key('a, B'))
  expect(key('a, b => c')).toBe(key('B, A => c'))
  expect(new Set([key('a, b'), key('a => b'), key('b => a')]).size).toBe(3)
})
