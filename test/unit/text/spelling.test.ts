import { expect, test } from 'vitest'
import { correctableWords, maxEditsIn, withCaseOf } from '../../../src/text/spelling.ts'

const wordsIn = (question: string) => correctableWords(question).map(({ word, start, end }) => [word, question.slice(start, end)])

test('words of four letters and more can be corrected, and have their places in the question', () => {
  expect(wordsIn('Whre is the kündigugn, pelase?')).toEqual([
    ['whre', 'Whre'],
    ['kündigugn', 'kündigugn'],
    ['pelase', 'pelase'],
  ])
})

test.each([
  'ISO27001 AB1234 2024',
  'maxTokens getURL',
  'snake_case_nmae',
  'ann@exmaple.org',
  'www.exmaple.org',
  'C:\\Docs',
  'the NATO treaty'.slice(0, 8),
  '東京都庁 สัญญาเช่า',
  'which would have',
])('no word of %j can be corrected', (question) => {
  expect(wordsIn(question)).toEqual([])
})

test('capitals among other words are a name, but a question all in capitals can be corrected', () => {
  expect(wordsIn('the NATO treaty')).toEqual([['treaty', 'treaty']])
  expect(wordsIn('RNET DUE').map(([word]) => word)).toEqual(['rnet'])
})

test.each([
  ['who was Bartholomew Hargreves', []],
  ['Rent is due. Tennants pay it to Hargreves.', ['rent', 'tennants']],
  ['tell me: "Tennants first" and (Hargreves)', ['tell', 'tennants', 'first']],
  ['Wann ist die Kündigugn möglich', ['kündigugn', 'möglich']],
  ['Rental Agreemnt', ['rental', 'agreemnt']],
])('a capital within a sentence is a name, except in German and in titles: %s', (question, words) => {
  expect(wordsIn(question).map(([word]) => word)).toEqual(words)
})

test('a longer word may have more edits', () => {
  expect(['ren', 'rent', 'tenants', 'tenantss'].map(maxEditsIn)).toEqual([0, 1, 1, 2])
})

test('a correction takes the letter case of the word that it replaces', () => {
  expect([withCaseOf('RNET', 'rent'), withCaseOf('Kündigugn', 'kündigung'), withCaseOf('rnet', 'rent')]).toEqual([
    'RENT',
    'Kündigung',
    'rent',
  ])
})
