import { expect, test } from 'vitest'
import { canBeginHeading, canBeHeading, isOwnHeading } from '../../../src/core/headings.ts'

test.each([
  ['a bullet', '• Total cash returns to shareholders'],
  ['a bullet in ASCII', '* Intercompany deliveries identified by parentheses'],
  ['a dash', '– Greater Seattle'],
  ['a note', '(In millions)'],
  ['a longer note', '(Dollars in millions, except per share data)'],
  ['a row of figures', 'Net sales 32,765 31,657 30,109 30,274'],
  ['a line of a table of contents', 'Risk factors ........ 17'],
  ['the end of a sentence', 'of financial condition and results of operations'],
  ['a part of a sentence', 'As of the end of the year, the company,'],
  ['a sentence', 'Refunds are paid within fourteen days.'],
  ['a Chinese sentence', '本合同从五月一日开始。'],
  ['more than a line', 'Word '.repeat(21)],
  ['no words', '— 17 —'],
])('%s is no heading', (_what, text) => {
  expect(canBeHeading(text)).toBe(false)
})

test.each([
  'Risk Factors',
  'Item 7. Management’s Discussion and Analysis',
  '4.2 Termination for cause',
  'NOTE 12. EARNINGS PER SHARE',
  'Best Buy Co., Inc.',
  'Doing business in the U.S.',
  '1. Overview.',
  'Net sales:',
  'How do I cancel my subscription?',
  'Results of Q1 2023 compared with Q1 2022',
  '(a) Basis of presentation',
  'iPhone settings',
  '§ 5 Kündigung',
  '第一章 总则',
])('%s can be a heading', (text) => {
  expect(canBeHeading(text)).toBe(true)
})

test('a heading may go on in the next line', () => {
  expect(canBeginHeading('Management’s discussion and analysis,')).toBe(true)
  expect(canBeginHeading('of financial condition')).toBe(false)
})

test("an author's own heading is believed unless it is absurd", () => {
  expect(['• choose a plan', 'refunds are paid in fourteen days.', '2024'].every(isOwnHeading)).toBe(true)
  expect(['***', '', 'A paragraph in the wrong style. '.repeat(7)].some(isOwnHeading)).toBe(false)
})
