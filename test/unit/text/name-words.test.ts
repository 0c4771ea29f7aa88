import { expect, test } from 'vitest'
import { hiddenWords } from '../../../src/text/name-words.ts'

test.each([
  ['ANNUALREPORT_2018.pdf', ['annual', 'report']],
  ['BestBuyResults', ['Best', 'Buy', 'Results']],
  ['BESTBUY_2024Q2_10Q.pdf', ['best', 'buy', '2024', 'Q2', '10', 'Q']],
  ['AMCOR_2020_10K.pdf', ['10', 'K']],
  ['scan_FY2018.pdf', ['FY', '2018']],
  ['XMLReader.java', ['XML', 'Reader']],
  ['dataprocessingagreement.docx', ['data', 'processing', 'agreement']],
])('the name %s hides the words %j', (name, words) => {
  expect(hiddenWords(name)).toEqual(expect.arrayContaining(words))
})

test.each([
  'Changelog.md',
  'powerpoint.pptx',
  'Microsoft',
  'mietvertrag.pdf',
  'Versicherung',
  'qzxvwkjq.txt',
  'an_in_to',
  '契約書.pdf',
])('the name %s hides no words', (name) => {
  expect(hiddenWords(name)).toEqual([])
})

test('splitting a name takes linear time', () => {
  // As many ways to divide it as possible, and an end that no word has.
  expect(hiddenWords(`${'theandfor'.repeat(500_000)}q`).length).toBeLessThan(200)
})
