import { expect, test } from 'vitest'
import type { SearchFilter } from '../../../src/core/search-filter.ts'
import { findPhraseChecks, MAX_CHECKED } from '../../../src/search/filter-segments.ts'
import { OpenIndex } from '../../../src/search/threads/open-index.ts'
import { analysed, DIMENSIONS, direction, passage } from '../../conformance/passage-index.ts'
import { findRequest } from '../../support/find-request.ts'
import { createMemoryIndexStore } from '../../support/memory-passage-index.ts'

/** Finds the passages of these texts to check for phrases, by their index. */
async function checksOf(texts: readonly string[], filter: SearchFilter, terms: string[] = []) {
  const index = await createMemoryIndexStore().open({ id: 'idx', dimensions: DIMENSIONS })
  const passages = texts.map((text, n) =>
    analysed(passage('doc_1', n, { text, title: '', heading: '', context: '', vector: direction(n) })),
  )
  await index.put([{ documentId: 'doc_1', isNew: true, passages }])
  const opened = new OpenIndex()
  opened.change(index.segments())
  const request = findRequest({ filter, terms, mode: 'keyword' })
  const { rows, isComplete } = findPhraseChecks(opened.projectsOf(['prj_a']), request)!
  const found = await index.passages([...rows])
  return { found: Array.from(rows, (row) => found.get(row)!.text), isComplete }
}

const TEXTS = [
  'The fee for a late return is due.',
  'A late fee is due.',
  'A fee is late.',
  'Late payment, and in another sentence far away from the word before, a fee.',
  'Nothing.',
]

test('only texts with the words near each other in this order are read', async () => {
  expect(await checksOf(TEXTS, { phrases: ['late fee'] })).toEqual({ found: ['A late fee is due.'], isComplete: true })
  expect(await checksOf(TEXTS, { withoutPhrases: ['late fee', 'unknown'] })).toMatchObject({ found: ['A late fee is due.'] })
  expect(await checksOf(TEXTS, { phrases: ['fees'] })).toMatchObject({ found: TEXTS.slice(0, 4) })
  expect(await checksOf(TEXTS, { phrases: ['fee'], documentIds: ['doc_2'] })).toMatchObject({ found: [] })
})

test('many one-letter words that no text has together cost no reading', async () => {
  const letters = Array.from('abcdefghijklmnopqrst')
  const texts = letters.map((letter) => letters.filter((other) => other !== letter).join(' '))
  expect(await checksOf(texts, { phrases: letters })).toEqual({ found: [], isComplete: true })
})

test('of too many texts, those are read that a search finds first', async () => {
  const texts = Array.from({ length: MAX_CHECKED + 50 }, (_, n) => (n === MAX_CHECKED + 20 ? 'late fee rent' : 'late fee'))
  const { found, isComplete } = await checksOf(texts, { phrases: ['late fee'] }, ['rent', 'fee'])
  expect([found.length, found[0], isComplete]).toEqual([MAX_CHECKED, 'late fee rent', false])
  expect(await checksOf(texts, { withoutPhrases: ['++'] }, ['rent', 'fee'])).toMatchObject({ isComplete: false })
})
