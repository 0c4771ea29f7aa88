import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PLAIN_BM25 } from '../../../../src/index/segments/bm25f.ts'
import { filterSegment } from '../../../../src/index/segments/filter-segment.ts'
import { type SearchedSegment, searchSegments } from '../../../../src/index/segments/search.ts'
import { termFrequencies } from '../../../../src/index/segments/segment-row.ts'
import { naiveSearch } from '../../../support/naive-search.ts'
import {
  buildSegment,
  collections,
  deletions,
  divide,
  openSegment,
  passagesOf,
  queries,
  randomDocuments,
  scorings,
  without,
} from '../../../support/random-segments.ts'

/** Returns hits by row ID, which is the same however passages are divided. */
function search(segments: SearchedSegment[], terms: string[], options: Parameters<typeof searchSegments>[2]) {
  return searchSegments(segments, terms, options).map(({ segment, passage, score }) => ({
    row: segments[segment]!.reader.segment.passage(passage).row,
    score,
  }))
}

test('a search over segments finds what a naive scorer finds, with the same bits', () => {
  const limits = fc.constantFrom(0, 1, 3, 10, 100, 10_000)
  const segmentCounts = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.constant(60) },
  )
  fc.assert(
    fc.property(
      collections,
      queries,
      scorings,
      deletions,
      limits,
      segmentCounts,
      fc.boolean(),
      (documents, words, scoring, isDeleted, limit, count, filtered) => {
        const filter = filtered ? { tags: ['tag1', 'tag2'] } : {}
        const accepted = ({ tags }: { tags: readonly string[] }) => !filtered || tags.includes('tag1') || tags.includes('tag2')
        const segments = divide(documents, count).map((part): SearchedSegment => {
          const reader = openSegment(buildSegment(part), isDeleted)
          return { reader, allowed: filterSegment(reader, filter) }
        })
        const rows = new Set(
          documents.filter(({ document }) => accepted(document)).flatMap(({ passages }) => passages.map(({ row }) => row)),
        )
        const accepts = ({ row }: { row: bigint }) => rows.has(row)
        const expected = naiveSearch(passagesOf(without(documents, isDeleted)), words, { limit, scoring, accepts })
        expect(search(segments, words, { limit, scoring })).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
})

test('the frequency of a term is the number of remaining passages that have it in title, headings or body', () => {
  fc.assert(
    fc.property(collections, queries, deletions, fc.integer({ min: 1, max: 5 }), (documents, words, isDeleted, count) => {
      const segments = divide(documents, count).map((part) => ({ reader: openSegment(buildSegment(part), isDeleted) }))
      const left = passagesOf(without(documents, isDeleted)).map(({ words: { title, heading, body } }) => {
        return new Set([...title, ...heading, ...body])
      })
      const counts = words.map((word) => [word, left.filter((terms) => terms.has(word.toWellFormed())).length] as const)
      expect(termFrequencies(segments, words)).toEqual({
        passages: left.length,
        frequency: new Map(counts.filter(([, having]) => having > 0)),
      })
    }),
  )
})

test('by default, scores equal BM25 over name, title, headings and body as one text', () => {
  const documents = randomDocuments(1, 50, 5)
  const all = passagesOf(documents).map(({ row, words: { name, title, heading, body } }) => ({
    row,
    words: [...name, ...title, ...heading, ...body],
  }))
  const average = all.reduce((sum, { words }) => sum + words.length, 0) / all.length
  const having = all.filter(({ words }) => words.includes('w2')).length
  const idf = Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
  const hits = search([{ reader: openSegment(buildSegment(documents)), allowed: null }], ['w2'], {
    limit: 1_000,
    scoring: PLAIN_BM25,
  })
  expect(hits).toHaveLength(having)
  for (const { row, score } of hits) {
    const { words } = all.find((passage) => passage.row === row)!
    const times = words.filter((word) => word === 'w2').length
    expect(score).toBeCloseTo((idf * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average)), 8)
  }
})

test('a group of words scores what the own words or the best alternative scores, and pruning loses nothing', () => {
  fc.assert(
    fc.property(collections, scorings, fc.integer({ min: 1, max: 5 }), (documents, scoring, count) => {
      const segments = divide(documents, count).map((part) => ({ reader: openSegment(buildSegment(part)), allowed: null }))
      const scoresOf = (terms: string[]) =>
        new Map(search(segments, terms, { limit: 10_000, scoring }).map(({ row, score }) => [row, score]))
      const [own, first, second, rest] = ['w1', 'w2', 'w3', 'w0'].map((term) => scoresOf([term]))
      const groups = [
        { own: ['w1'], times: 1, alternatives: [{ words: [['w2'], ['w3']], weight: 0.5, countsIn: (n: number) => n > 0 }] },
      ]
      const all = search(segments, ['w0'], { limit: 10_000, scoring, groups })
      const inFirst = new Set(passagesOf(divide(documents, count)[0] ?? []).map(({ row }) => row))
      for (const { row, score } of all) {
        const ownScore = (own!.get(row) ?? 0) + (rest!.get(row) ?? 0)
        const hasPhrase = first!.has(row) && second!.has(row) && !inFirst.has(row)
        expect(score).toBeGreaterThanOrEqual(ownScore)
        if (!hasPhrase) expect(score).toBe(ownScore)
        else
          expect(score).toBeLessThanOrEqual(
            Math.max(ownScore, 0.5 * (first!.get(row)! + second!.get(row)!) + (rest!.get(row) ?? 0)) + 1e-9,
          )
      }
      const rows = new Set(all.map(({ row }) => row))
      for (const row of [...own!.keys(), ...rest!.keys()]) expect(rows).toContain(row)
      for (const limit of [1, 3, 10]) expect(search(segments, ['w0'], { limit, scoring, groups })).toEqual(all.slice(0, limit))
    }),
    { numRuns: 100 },
  )
})

test('passages of another project do not change a bit of the scores', () => {
  const ours = randomDocuments(1, 60, 9)
  const reader = openSegment(buildSegment(ours))
  const alone = search([{ reader, allowed: null }], ['w1', 'zebra'], { limit: 50, scoring: PLAIN_BM25 })
  // A daemon with both projects searches only the segments of the project that the user may see, however these are divided.
  openSegment(buildSegment(randomDocuments(2, 300, 9)))
  const divided = divide(ours, 7).map((part) => ({ reader: openSegment(buildSegment(part)), allowed: null }))
  expect(alone).toHaveLength(50)
  expect(search(divided, ['zebra', 'w1'], { limit: 50, scoring: PLAIN_BM25 })).toEqual(alone)
})

test('equal scores are in the order of path and passage index, whatever the IDs and segments are', () => {
  const equal = (path: string, id: string, row: bigint) => ({
    document: {
      id,
      version: 1,
      name: '',
      nameTerms: '',
      path,
      mediaType: 'text/plain',
      tags: [],
      createdAt: new Date(0),
      titleKey: 1,
    },
    passages: [0, 1].map((index) => ({
      row: row + BigInt(index),
      index,
      pageStart: 1,
      pageEnd: 1,
      textHash: '',
      terms: 'same',
      titleTerms: 0,
      headingTerms: 0,
      language: 0,
    })),
  })
  const [b, a, c] = [equal('b', 'doc_1', 1n), equal('a', 'doc_2', 3n), equal('c', 'doc_0', 5n)]
  for (const parts of [[[b, a, c]], [[c, b], [a]], [[b], [c], [a]]]) {
    const segments = parts.map((part) => ({ reader: openSegment(buildSegment(part)), allowed: null }))
    const rows = search(segments, ['same'], { limit: 3, scoring: PLAIN_BM25 }).map(({ row }) => row)
    expect(rows).toEqual([3n, 4n, 1n])
  }
})
