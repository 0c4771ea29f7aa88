import { describe, expect, test } from 'vitest'
import { cellsOf } from '../../../src/pages/document/table.tsx'

const textsOf = (row: string) => cellsOf(row).cells.map(([start, end]) => row.slice(start, end))

describe('cells with separators', () => {
  test.each([
    ['Rent | 1,200 | monthly', ['Rent', '1,200', 'monthly']],
    ['| Rent | Power', ['', 'Rent', 'Power']],
    ['January | 1,200 |', ['January', '1,200', '']],
    ['a |  | c', ['a', '', 'c']],
    ['a||b | c', ['a||b', 'c']],
    ['two\nlines | next', ['two\nlines', 'next']],
  ])('%s', (row, cells) => {
    expect(textsOf(row)).toEqual(cells)
    expect(cellsOf(row).endsInFigures).toBe(false)
  })
})

describe('rows of a PDF', () => {
  test.each([
    ['Net sales 32,765 31,657 30,109', ['Net sales', '32,765', '31,657', '30,109']],
    ['Dividends $ (1,403) $ 222', ['Dividends', '$ (1,403)', '$ 222']],
    ['Margin 12.5 % 13.0%', ['Margin', '12.5 %', '13.0%']],
    ['Other — net 9 (6) —', ['Other — net', '9', '(6)', '—']],
    ['2018 2017', ['', '2018', '2017']],
    ['Current assets:', ['Current assets:']],
    ['', ['']],
  ])('%s', (row, cells) => {
    expect(textsOf(row)).toEqual(cells)
  })
})
