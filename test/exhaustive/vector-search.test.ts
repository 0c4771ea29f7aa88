import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBitmap, setBit } from '../../src/index/segments/bitmap.ts'
import { filterSegment } from '../../src/index/segments/filter-segment.ts'
import { mergeSegments } from '../../src/index/segments/merge.ts'
import { buildVectors, mergeVectors } from '../../src/index/segments/vectors/build.ts'
import { PAGE_BYTES } from '../../src/index/segments/paged-file.ts'
import { openPaged } from '../../src/index/segments/store/files.ts'
import { type VectorLayout, VECTORS } from '../../src/index/segments/vectors/format.ts'
import { SegmentVectors } from '../../src/index/segments/vectors/segment-vectors.ts'
import { type SearchedVectors, searchVectors } from '../../src/index/segments/vectors/search.ts'
import { damaged, expectDamage } from '../support/damage.ts'
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
} from '../support/random-segments.ts'
import { seeded } from '../support/seeded.ts'
import { cosine, layouts, vectorOfRow, vectorsOf } from '../support/random-vectors.ts'

/** The largest error of a cosine: components have 16 bits, those of the sparse rest 8. */
const PRECISION = 4e-3

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
            const filter = { mediaTypes: ['text/plain'] }
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

test('the other passages that a caller asks for follow the best ones, with the scores of a search for everything', () => {
  fc.assert(
    fc.property(
      collections,
      layouts,
      fc.constantFrom(1, 3, 10),
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.boolean()),
      (documents, layout, limit, count, isAsked) => {
        const segments = divide(documents, count).map((part) => open(part, layout, () => false))
        const query = vectorOfRow(1n, layout)!
        const also = segments.flatMap(({ reader }, segment) =>
          Array.from({ length: reader.segment.passages }, (_, passage) => ({ segment, passage })).filter(
            () => isAsked.next().value,
          ),
        )
        const isAlso = new Set(also.map(({ segment, passage }) => `${segment} ${passage}`))
        const all = searchVectors(segments, query, 10_000)
        const expected = all.filter(({ segment, passage }, i) => i < limit || isAlso.has(`${segment} ${passage}`))
        expect(searchVectors(segments, query, limit, also)).toEqual(expected)
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

test('a query without a direction finds nothing, and a query with the wrong number of dimensions is refused', () => {
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

test('vectors that were stored as 16-bit floats give the same bytes as the vectors themselves', () => {
  const layout: VectorLayout = { dimensions: 64, denseDimensions: 32 }
  const random = seeded(1)
  const vectors = Array.from({ length: 40 }, () => Float32Array.from({ length: 64 }, () => random() - 0.5))
  const stored = vectors.map((vector) => new Float32Array(new Float16Array(vector)))
  expect(buildVectors(stored, layout)).toEqual(buildVectors(vectors, layout))
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

describe('in a segment of clusters', () => {
  const layout = { dimensions: 24, denseDimensions: 16 }
  const random = seeded(5)
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: 24 }, () => random() - 0.5))
  const near = (centre: Float32Array) => centre.map((value, i) => (i < 16 || random() < 0.1 ? value + random() - 0.5 : 0))
  const documents = Array.from({ length: 400 }, (_, n): TestDocument => {
    const [one] = randomDocuments(n, 1, 1)
    const [passage] = one!.passages
    return {
      document: one!.document,
      passages: Array.from({ length: 80 }, (_, index) => ({ ...passage!, row: BigInt(80 * n + index), index })),
    }
  })
  const vectors = documents.flatMap(({ passages }) => passages.map(() => near(centres[Math.floor(random() * centres.length)]!)))
  const queries = Array.from({ length: 40 }, (_, i) => near(centres[i]!))
  const reader = openSegment(buildSegment(documents))
  const ofRow = (rows: BigUint64Array) => Array.from(rows, (row) => vectors[Number(row)]!)
  const bytes = buildVectors(ofRow(reader.segment.sections.rows), layout)
  const clustered: SearchedVectors = { reader, allowed: null, vectors: new SegmentVectors(bytes) }
  /** The same passages in segments that are too small for clusters. */
  const exact = divide(documents, 4).map((part): SearchedVectors => {
    const small = openSegment(buildSegment(part))
    return { reader: small, allowed: null, vectors: new SegmentVectors(buildVectors(ofRow(small.segment.sections.rows), layout)) }
  })

  test('a search finds nearly all of the best passages, with the scores of an exact search', () => {
    expect(clustered.vectors.sections.clusterEnds.length).toBeGreaterThan(100)
    expect(exact.every(({ vectors }) => vectors.sections.clusterEnds.length === 0)).toBe(true)
    let found = 0
    for (const query of queries) {
      const expected = new Map(search(exact, query, 10).map(({ row, score }) => [row, score]))
      const hits = search([clustered], query, 10)
      found += hits.filter(({ row }) => expected.has(row)).length
      for (const { row, score } of hits) if (expected.has(row)) expect(score).toBe(expected.get(row))
    }
    expect(found / (10 * queries.length)).toBeGreaterThanOrEqual(0.98)
  })

  test('the score of a passage that a caller asks for is exact, also in a cluster that is not searched', () => {
    const also = Array.from({ length: 60 }, (_, i) => ({ segment: 0, passage: i * 97 }))
    const query = queries[0]!
    const scores = new Map(search(exact, query, reader.segment.passages).map(({ row, score }) => [row, score]))
    const hits = searchVectors([clustered], query, 10, also)
    for (const { passage } of also) {
      const row = reader.segment.passage(passage).row
      expect(hits.find((hit) => hit.passage === passage)?.score).toBe(scores.get(row))
    }
  })

  test('a search finds the same passages with equal scores when the clusters stay on disk', () => {
    const folder = mkdtempSync(join(tmpdir(), 'docsearch-clusters-'))
    writeFileSync(join(folder, 'clusters'), bytes)
    const file = openPaged(VECTORS, join(folder, 'clusters'), 4 * PAGE_BYTES)
    rmSync(folder, { recursive: true })
    const onDisk = { ...clustered, vectors: new SegmentVectors(file) }
    for (const query of queries) expect(search([onDisk], query, 10)).toEqual(search([clustered], query, 10))
    closeSync(file.handle)
  })

  test('a search with a filter is exact if the filter allows few passages, and nearly exact otherwise', () => {
    for (const [every, least] of [
      [500, 1],
      [3, 0.98],
    ] as const) {
      const filter = ({ reader }: SearchedVectors) => {
        const allowed = createBitmap(reader.segment.passages)
        for (const [passage, row] of reader.segment.sections.rows.entries())
          if (row % BigInt(every) === 0n) setBit(allowed, passage)
        return allowed
      }
      let found = 0
      for (const query of queries) {
        const expected = search(
          exact.map((segment) => ({ ...segment, allowed: filter(segment) })),
          query,
          10,
        )
        const hits = search([{ ...clustered, allowed: filter(clustered) }], query, 10)
        expect(hits.every(({ row }) => row % BigInt(every) === 0n)).toBe(true)
        if (least === 1) expect(hits).toEqual(expected)
        found += hits.filter(({ row }) => expected.some((one) => one.row === row)).length
      }
      expect(found / (10 * queries.length)).toBeGreaterThanOrEqual(least)
    }
  })

  test('the same vectors give the same bytes, also when segments are merged', () => {
    const { bytes: words, numbers } = mergeSegments(exact.map(({ reader }) => reader))
    const { segment } = openSegment(words)
    const merged = mergeVectors(
      exact.map(({ vectors }, i) => ({ vectors, numbers: numbers[i]! })),
      segment.passages,
    )
    expect(Buffer.compare(merged, bytes)).toBe(0)
  })
})
