import { expect, test } from 'vitest'
import type { Candidate } from '../../../src/search/fuse.ts'
import { group } from '../../../src/search/group.ts'
import { newCandidate } from '../../support/candidate.ts'

const candidate = (documentId: string, index: number, score: number) => newCandidate({ documentId, index, score })
const ranked = (...candidates: Candidate[]) => candidates.toSorted((a, b) => b.score - a.score)
const documents = (groups: ReturnType<typeof group>) => groups.map(({ best }) => best.passage.documentId)

test('among documents with similar best passages, the one with more good passages ranks first', () => {
  const found = ranked(
    candidate('a', 1, 1),
    candidate('b', 1, 0.98),
    candidate('b', 5, 0.97),
    candidate('b', 9, 0.9),
    candidate('a', 4, 0.2),
  )
  expect(documents(group(found, 'document'))).toEqual(['b', 'a'])
})

test('many weak passages do not outrank a good one', () => {
  const weak = Array.from({ length: 150 }, (_, i) => candidate('long', i, 0.6))
  expect(documents(group(ranked(candidate('short', 0, 0.8), ...weak), 'document'))).toEqual(['short', 'long'])
})

test('document scores fall and stay from 0 to 1, and the best document keeps its score', () => {
  const found = ranked(candidate('a', 1, 0.9), candidate('b', 1, 0.89), candidate('b', 2, 0.88), candidate('c', 1, 0.3))
  const scores = group(found, 'document').map(({ score }) => score)
  expect(scores[0]).toBeCloseTo(0.9)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

test('a deeper look adds documents at the end and moves none', () => {
  const first = ranked(candidate('a', 1, 1), candidate('b', 1, 0.95))
  const deeper = [candidate('b', 2, 0.9), candidate('b', 3, 0.9), candidate('c', 1, 0.9)]
  expect(documents(group([...first, ...deeper], 'document', first.length))).toEqual(['a', 'b', 'c'])
})

test('joins at most three passages', () => {
  const found = Array.from({ length: 40 }, (_, i) => candidate('a', i, 1 - i / 100))
  const groups = group(found, 'chunk')
  expect(groups.map(({ joined }) => joined.length)).toEqual([...Array.from({ length: 13 }, () => 3), 1])
  expect(groups.flatMap(({ joined }) => joined.map(({ passage }) => passage.index))).toEqual(
    found.map(({ passage }) => passage.index),
  )
})

test('does not join a neighbour with a much lower score', () => {
  expect(group([candidate('a', 1, 1), candidate('a', 2, 0.5)], 'chunk')).toHaveLength(2)
  expect(group([candidate('a', 1, 1), candidate('a', 2, 0.9)], 'chunk')).toHaveLength(1)
})

test('does not join passages of different pages', () => {
  const next = newCandidate({ documentId: 'a', index: 2, score: 0.9, pageStart: 2, pageEnd: 2 })
  expect(group([candidate('a', 1, 1), next], 'chunk')).toHaveLength(2)
})

test('does not join passages of different versions', () => {
  const old = newCandidate({ documentId: 'a', index: 2, score: 0.9, version: 2 })
  expect(group([candidate('a', 1, 1), old], 'chunk')).toHaveLength(2)
})
