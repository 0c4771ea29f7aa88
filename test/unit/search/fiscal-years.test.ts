import { expect, test } from 'vitest'
import { readFiscalYears } from '../../../src/search/question.ts'
import { queryWords } from '../../../src/text/analyse.ts'

test.each([
  ['FY2018', [['fy2018', 'fy18'], ['2018']]],
  ['FY18', [['fy2018', 'fy18'], ['2018']]],
  ['FY 2018', [['2018']]],
  ['FY18 or FY2021', [['fy2018', 'fy18'], ['2018'], ['fy2021', 'fy21'], ['2021']]],
])('%s means the year', (query, terms) => {
  expect(readFiscalYears(queryWords(query)).map((word) => word.terms)).toEqual(terms)
})

test.each(['the FY report', 'FYI 2018', 'AB2018', 'FY2018b', 'Q2 2018'])('the words of %s stay', (query) => {
  expect(readFiscalYears(queryWords(query))).toEqual(queryWords(query))
})
