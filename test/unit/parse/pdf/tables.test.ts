import { expect, test } from 'vitest'
import { chunkDocument } from '../../../../src/chunk/chunk.ts'
import type { Page } from '../../../../src/core/parsed.ts'
import { layOut, type TableCounter } from '../../../../src/parse/pdf/layout.ts'
import type { Line } from '../../../../src/parse/pdf/line.ts'
import { typographyOf } from '../../../../src/parse/pdf/typography.ts'
import { countWords } from '../../../../src/text/model-tokens.ts'

const LEADING = 12

/** Lays out pages of lines. An empty line doubles the distance to the next one. */
function pagesOf(...pages: string[][]): Page[] {
  const typography = typographyOf([], 0)
  const counter: TableCounter = { tables: 0, figuresAtEnd: 0 }
  return pages.map((texts, i) => {
    const lines = texts.flatMap((text, row): Line[] => {
      const y = 100 + LEADING * row
      return text === '' ? [] : [{ text, x: 72, right: 72 + 5 * text.length, y, endY: y, size: 10, bold: false, angle: 0 }]
    })
    return layOut(i + 1, { lines, notes: [], outline: [] }, { header: [], footer: [] }, typography, counter)
  })
}

/** Returns for each row the number of its table, `H` for a header or `L` for a label, and its text. */
function rowsOf(pages: readonly Page[]): [table: number, mark: string, text: string][] {
  return pages.flatMap(({ text, blocks }) =>
    blocks
      .filter(({ kind }) => kind === 'table_row')
      .map(({ table, header, label, start, end }) => [table!, header ? 'H' : label ? 'L' : '', text.slice(start, end)]),
  )
}

test('the lines between two rows are the label of the rows below', () => {
  expect(
    rowsOf(
      pagesOf([
        '(Millions) 2018 2017',
        'Operating activities',
        'Net income 5,363 4,869',
        'Depreciation 1,488 1,544',
        '',
        'Cash flows from',
        'investing activities:',
        'Purchases of equipment (1,577) (1,373)',
      ]),
    ),
  ).toEqual([
    [1, 'H', '(Millions) 2018 2017'],
    [1, 'L', 'Operating activities'],
    [1, '', 'Net income 5,363 4,869'],
    [1, '', 'Depreciation 1,488 1,544'],
    [1, 'L', 'Cash flows from'],
    [1, 'L', 'investing activities:'],
    [1, '', 'Purchases of equipment (1,577) (1,373)'],
  ])
})

test('the beginning of a row on a line of its own is no label', () => {
  const rows = rowsOf(pagesOf(['Rent 310 295', 'Proceeds from the sale of offices', '846 1,065', 'Other 9 6']))
  expect(rows.map(([, mark]) => mark)).toEqual(['', '', '', ''])
})

test('further from the rows, other figures or a caption begin another table', () => {
  const first = ['Rent 310 295', 'Heating 42 40', '']
  const wider = pagesOf([...first, '', 'Cities', 'Oslo 310 295 17', 'Bergen 42 40 12'])
  expect(rowsOf(wider).map(([table]) => table)).toEqual([1, 1, 2, 2, 2])
  const captioned = pagesOf([...first, '', 'Table 2 Cities', 'Oslo 310 295', 'Bergen 42 40'])
  expect(rowsOf(captioned).map(([table]) => table)).toEqual([1, 1, 2, 2, 2])
})

test('a table goes on at the top of the next page, unless a new header or other figures begin one', () => {
  const first = ['Item 2018 2017', 'Rent 310 295', 'Heating 42 40']
  const tablesOf = (...second: string[]) => rowsOf(pagesOf(first, second)).map(([table]) => table)
  expect(tablesOf('Water 12 11', 'Light 9 8')).toEqual([1, 1, 1, 1, 1])
  expect(tablesOf('Item 2016 2015', 'Water 12 11')).toEqual([1, 1, 1, 2, 2])
  expect(tablesOf('Water 12 11 10', 'Light 9 8 7')).toEqual([1, 1, 1, 2, 2])
})

test('a passage within a table has its caption, header and last label as context, also on the next page', () => {
  const rows = (name: string) => Array.from({ length: 12 }, (_, i) => `${name} no. ${i} with some words ${i}00 ${i}50`)
  const pages = pagesOf(
    [
      'Capital expenditure by segment',
      '',
      '',
      '(Millions) 2018 2017',
      'Consumer:',
      ...rows('Shops'),
      'Industrial:',
      ...rows('Works'),
    ],
    rows('Mines'),
  )
  const chunks = chunkDocument(pages, { maxTokens: 100, targetTokens: 60, countTokens: countWords })
  const contextOf = (start: string) => chunks.find(({ text }) => text.includes(start) && !text.includes(':'))?.context
  expect(contextOf('Shops no. 9')).toBe('Capital expenditure by segment\n(Millions) 2018 2017\nConsumer:')
  expect(contextOf('Works no. 9')).toBe('Capital expenditure by segment\n(Millions) 2018 2017\nIndustrial:')
  expect(contextOf('Mines no. 9')).toBe('Capital expenditure by segment\n(Millions) 2018 2017\nIndustrial:')
})
