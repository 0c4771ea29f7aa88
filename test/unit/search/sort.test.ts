import { expect, test } from 'vitest'
import type { Candidate } from '../../../src/search/fuse.ts'
import { type DocumentOrder, groupSorted } from '../../../src/search/group.ts'
import { newCandidate } from '../../support/candidate.ts'

/** Sorts one passage of each document, which are in order of relevance, and returns the names. */
function sorted(sort: DocumentOrder, ...documents: [name: string, createdAt?: string][]): string[] {
  const found = documents.map((_, i) => newCandidate({ documentId: String(i), index: 0, score: 1 - i / 1000 }))
  const documentOf = ({ passage: { documentId } }: Candidate) => {
    const [name, createdAt = '2026-01-01'] = documents[Number(documentId)]!
    return { name, createdAt: new Date(createdAt) }
  }
  return groupSorted(found, { by: 'chunk', sort, documentOf }).map(({ best }) => documents[Number(best.passage.documentId)]![0])
}

/** Four passages of two documents: `b` is more relevant, `a` is newer and first by name. */
const FOUND = [
  newCandidate({ documentId: 'b', index: 4, score: 0.9 }),
  newCandidate({ documentId: 'a', index: 8, score: 0.8 }),
  newCandidate({ documentId: 'b', index: 0, score: 0.7 }),
  newCandidate({ documentId: 'a', index: 2, score: 0.6 }),
]
const documentOf = ({ passage: { documentId: name } }: Candidate) => ({ name, createdAt: new Date(name === 'a' ? 1 : 0) })

test('newest sorts by time of creation, latest first', () => {
  const found: [string, string][] = [
    ['old', '2024-01-01'],
    ['newest', '2026-01-01T00:00:00.001Z'],
    ['newer', '2026-01-01'],
  ]
  expect(sorted('newest', ...found)).toEqual(['newest', 'newer', 'old'])
})

test('name compares numbers as numbers and ignores letter case', () => {
  const names = ['report 10.pdf', 'Zebra', 'Report 9.pdf', 'émile', 'alpha', 'report 9.5.pdf', 'Emil', 'report 1000.pdf']
  expect(sorted('name', ...names.map((name): [string] => [name]))).toEqual([
    'alpha',
    'Emil',
    'émile',
    'report 9.5.pdf',
    'Report 9.pdf',
    'report 10.pdf',
    'report 1000.pdf',
    'Zebra',
  ])
})

test('documents with the same time or name stay in order of relevance', () => {
  expect(sorted('name', ['b'], ['A 007'], ['a 7'], ['A 7'], ['B'])).toEqual(['A 007', 'a 7', 'A 7', 'b', 'B'])
  expect(sorted('newest', ['b'], ['A 007'], ['a 7'])).toEqual(['b', 'A 007', 'a 7'])
})

test.each(['newest', 'name'] as const)('%s: passages of a document stay in order of relevance and keep their scores', (sort) => {
  const results = groupSorted(FOUND, { by: 'chunk', sort, documentOf })
  expect(results.map(({ best, score }) => [best.passage.documentId, best.passage.index, score])).toEqual([
    ['a', 8, 0.8],
    ['a', 2, 0.6],
    ['b', 4, 0.9],
    ['b', 0, 0.7],
  ])
})

test.each(['newest', 'name'] as const)('%s: a document has the score that it has in order of relevance', (sort) => {
  const results = groupSorted(FOUND, { by: 'document', sort, documentOf })
  expect(results.map(({ best, score, matchingPassages }) => [best.passage.id, score > 0.8, matchingPassages])).toEqual([
    ['a:1:8', false, 2],
    ['b:1:4', true, 2],
  ])
})

test('if documents have the same text, the first document in the order shows it', () => {
  const found = ['b', 'a', 'c'].map((documentId, i) =>
    newCandidate({ documentId, index: 0, score: 1 - i / 10, text: 'same text' }),
  )
  const [only, ...others] = groupSorted(found, { by: 'chunk', sort: 'name', documentOf })
  expect(others).toEqual([])
  expect([only!.best, ...only!.twins].map(({ passage }) => passage.documentId)).toEqual(['a', 'b', 'c'])
})

test('reads each document once, also when thousands of passages have names of a thousand digits', () => {
  const passages = 50
  const found = Array.from({ length: 10_000 }, (_, i) =>
    newCandidate({ documentId: String(i % (10_000 / passages)), index: 2 * i, score: 1 - i / 100_000 }),
  )
  let reads = 0
  const results = groupSorted(found, {
    by: 'chunk',
    sort: 'name',
    documentOf: ({ passage: { documentId } }) => {
      reads++
      return { name: '1'.repeat(990) + documentId, createdAt: new Date(0) }
    },
  })
  expect([results.length, reads]).toEqual([10_000, 10_000 / passages])
  expect(results.findLastIndex(({ best }) => best.passage.documentId === '0')).toBe(passages - 1)
})
