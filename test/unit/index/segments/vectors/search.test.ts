import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filterSegment } from '../../../../../src/index/segments/filter-segment.ts'
import { mergeSegments } from '../../../../../src/index/segments/merge.ts'
import { mergeVectors } from '../../../../../src/index/segments/vectors/build.ts'
import type { VectorLayout } from '../../../../../src/index/segments/vectors/format.ts'
import { SegmentVectors } from '../../../../../src/index/segments/vectors/segment-vectors.ts'
import { type SearchedVectors, searchVectors } from '../../../../../src/index/segments/vectors/search.ts'
import { damaged, expectDamage } from '../../../../support/damage.ts'
import {
  buildSegment,
  collections,
  deletions,
  divide,
  openSegment,
  passagesOf,
  randomDocuments,
  without,
  type TestDocument,
} from '../../../../support/random-segments.ts'
import { cosine, layouts, vectorOfRow, vectorsOf } from '../../../../support/random-vectors.ts'

/** The largest error of a cosine: components have 16 bits, those of the sparse rest 8. */
const PRECISION = 2e-3

function search(segments: SearchedVectors[], query: Float32Array, limit: number) {
  return searchVectors(segments, query, limit).map(({ segment, passage, score }) => ({
    row: segments[segment]!.reader.segment.passage(passage).row,
    score,
  }))
}

function open(documents: readonly TestDocument[], layout: VectorLayout, isDeleted: (row: bigint) => boolean): SearchedVectors {
  const reader = openSegment(buildSegment(documents), isDeleted)
  return { reader, allowed: null, vectors: vectorsOf(reader.segment, layout) }
}

const isOfText = ({ document }: TestDocument) => document.mediaType === 'text/plain'

test('a search finds the passages with the highest cosines, with equal bits however passages are divided', () => {
  fc.assert(
    fc.property(
      collections,
      layouts,
      deletions,
      fc.constantFrom(0, 1, 10, 10_000),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 10 }),
      (documents, layout, isDeleted, limit, count, filtered, kind) => {
        const query = vectorOfRow(BigInt(kind), layout)!
        const find = (parts: TestDocument[][]) => {
          const segments = parts.map((part): SearchedVectors => {
            const segment = open(part, layout, isDeleted)
            const filter = { ownerId: 'usr_a', mediaTypes: ['text/plain'] }
            return { ...segment, allowed: filtered ? filterSegment(segment.reader, filter) : null }
          })
          return search(segments, query, limit)
        }
        const found = find([documents])
        expect(find(divide(documents, count))).toEqual(found)

        const searched = passagesOf(without(filtered ? documents.filter(isOfText) : documents, isDeleted))
        const cosines = new Map(
          searched.flatMap(({ row }) => {
            const vector = vectorOfRow(row, layout)
            return vector === null ? [] : [[row, cosine(vector, query)]]
          }),
        )
        expect(found).toHaveLength(Math.min(limit, cosines.size))
        const best = [...cosines.values()].toSorted((a, b) => b - a)
        for (const [i, { row, score }] of found.entries()) {
          expect(Math.abs(score - cosines.get(row)!)).toBeLessThan(PRECISION)
          expect(Math.abs(score - best[i]!)).toBeLessThan(PRECISION)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('equal scores are in the order of path and passage index', () => {
  const documents = randomDocuments(3, 40, 5)
  const segments = divide(documents, 3).map((part) => open(part, { dimensions: 1, denseDimensions: 1 }, () => false))
  const query = Float32Array.of(1)
  const byScore = Map.groupBy(search(segments, query, 1_000), ({ score }) => score)
  expect(byScore.size).toBe(2)
  const order = passagesOf(documents)
    .toSorted((a, b) => (a.path === b.path ? a.index - b.index : a.path < b.path ? -1 : 1))
    .map(({ row }) => row)
  for (const hits of byScore.values()) {
    const rows = hits.map(({ row }) => row)
    expect(rows).toEqual(order.filter((row) => rows.includes(row)))
  }
})

test('a query without a direction finds nothing, and one with other dimensions is refused', () => {
  const segment = open(randomDocuments(2, 9, 3), { dimensions: 8, denseDimensions: 8 }, () => false)
  expect(search([segment], new Float32Array(8), 10)).toEqual([])
  expect(search([segment], new Float32Array(8).fill(NaN), 10)).toEqual([])
  expect(() => search([segment], new Float32Array(9).fill(1), 10)).toThrow(RangeError)
})

test('a merged file has the same bytes as one that is built from the remaining vectors', () => {
  fc.assert(
    fc.property(collections, layouts, deletions, fc.integer({ min: 1, max: 4 }), (documents, layout, isDeleted, count) => {
      const parts = divide(documents, count).map((part) => open(part, layout, isDeleted))
      const { bytes: words, numbers } = mergeSegments(parts.map(({ reader }) => reader))
      const { segment } = openSegment(words)
      const sources = parts.map(({ vectors }, i) => ({ vectors, numbers: numbers[i]! }))
      const expected = vectorsOf(segment, layout)
      const bytes = mergeVectors(sources, segment.passages)
      expect(new SegmentVectors(bytes).sections).toEqual(expected.sections)
    }),
    { numRuns: 40 },
  )
})

test('a damaged file is reported as damaged or answers as before', () => {
  const documents = randomDocuments(7, 30, 5)
  const layout = { dimensions: 60, denseDimensions: 20 }
  const { reader, allowed, vectors } = open(documents, layout, () => false)
  const query = vectorOfRow(1n, layout)!
  const bytes = mergeVectors(
    [{ vectors, numbers: Uint32Array.from({ length: vectors.passages }, (_, i) => i) }],
    vectors.passages,
  )
  const find = (file: Uint8Array) => search([{ reader, allowed, vectors: new SegmentVectors(file) }], query, 50)
  const before = find(bytes)
  for (const [what, copy] of Object.entries(damaged(Buffer.from(bytes)))) expectDamage(what, () => find(copy), before)
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(254), (at, change) => {
      const copy = bytes.slice()
      copy[at] = (copy[at]! + 1 + change) & 255
      expectDamage(`byte ${at}`, () => find(copy), before)
    }),
  )
})
