import { expect, test } from 'vitest'
import { nameTerms, passageTerms } from '../../../src/text/passage-terms.ts'

test.each([
  { title: 'Terms of use', heading: 'Refunds', context: '', text: 'We refund you.', counts: [3, 1] },
  { title: 'Terms of use', heading: '', context: 'Year | Revenue', text: '2024 | 5', counts: [3, 0] },
  { title: '', heading: 'Part 1 › 契約', context: '', text: 'Nothing', counts: [0, 5] },
  { title: 'getUserName', heading: 'AB-1234', context: '', text: '', counts: [4, 3] },
  { title: '', heading: '', context: '', text: '', counts: [0, 0] },
])('the first terms of a passage are those of its title, then of its heading: $title, $heading', ({ counts, ...texts }) => {
  const { terms, titleTerms, headingTerms, tokens } = passageTerms(texts)
  expect([titleTerms, headingTerms]).toEqual(counts)
  const own = (text: string) => passageTerms({ title: '', heading: '', context: '', text }).tokens.length
  expect([titleTerms, headingTerms]).toEqual([own(texts.title), own(texts.heading)])
  expect(tokens.map(({ term }) => term).join(' ')).toBe(terms)
})

test('the terms of a name are the words that searches look for, each once', () => {
  const terms = nameTerms({ name: 'Annual_Reports-2018-reports.pdf', title: 'Form 10-K' }).split(' ')
  expect(terms).toEqual(expect.arrayContaining(['annual', 'report', '2018', 'pdf']))
  expect(terms.length).toBe(new Set(terms).size)
})

test('a name that is also the title adds only the words that it hides', () => {
  expect(nameTerms({ name: 'ANNUALREPORT.pdf', title: 'ANNUALREPORT.pdf' }).split(' ')).toEqual(['annual', 'report'])
})
