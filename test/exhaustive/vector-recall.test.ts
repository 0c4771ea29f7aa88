import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { normalise } from '../../src/embed/vectors.ts'
import { createBitmap, setBit } from '../../src/index/segments/bitmap.ts'
import { buildVectors } from '../../src/index/segments/vectors/build.ts'
import type { VectorLayout } from '../../src/index/segments/vectors/format.ts'
import { SegmentScan } from '../../src/index/segments/vectors/segment-scan.ts'
import { SegmentVectors } from '../../src/index/segments/vectors/segment-vectors.ts'
import { type SearchedVectors, searchVectors } from '../../src/index/segments/vectors/search.ts'
import { buildSegment, openSegment, randomDocuments, type TestDocument } from '../support/random-segments.ts'
import { seeded } from '../support/seeded.ts'

const PASSAGES = 80
const DENSE = 64

/** Returns a segment with these vectors, large enough for clusters. Row n has the n-th vector. */
function segmentOf(vectors: readonly Float32Array[], layout: VectorLayout): SearchedVectors {
  const documents = Array.from({ length: vectors.length / PASSAGES }, (_, n): TestDocument => {
    const [{ document, passages }] = randomDocuments(n, 1, 1) as [TestDocument]
    return {
      document,
      passages: Array.from({ length: PASSAGES }, (_, index) => ({ ...passages[0]!, row: BigInt(PASSAGES * n + index), index })),
    }
  })
  const reader = openSegment(buildSegment(documents))
  const inOrder = Array.from(reader.segment.sections.rows, (row) => vectors[Number(row)]!)
  return { reader, allowed: null, vectors: new SegmentVectors(buildVectors(inOrder, layout)) }
}

/** Returns the share of the ten nearest vectors that searches find. The vectors and the queries have length 1. */
function recallOf(
  segments: readonly SearchedVectors[],
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[],
  isAllowed: (row: number) => boolean = () => true,
): number {
  let found = 0
  for (const query of queries) {
    const cosines = Float64Array.from(vectors, (vector, row) => (isAllowed(row) ? dot(vector, query) : -1))
    const tenth = cosines.toSorted().at(-10)!
    for (const { segment, passage } of searchVectors(segments, query, 10)) {
      const row = Number(segments[segment]!.reader.segment.passage(passage).row)
      if (cosines[row]! >= tenth - 1e-4) found++
    }
  }
  return found / (10 * queries.length)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

const random = seeded(9)
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const direction = () => normalise(Float32Array.from({ length: DENSE }, normal))!
const near = (subject: Float32Array) => normalise(subject.map((value) => value + 0.07 * normal()))!

const clusterScans = vi.spyOn(SegmentScan.prototype, 'cluster')
afterAll(() => clusterScans.mockRestore())
afterEach(() => clusterScans.mockClear())

/** Returns the number of a segment's clusters that were scanned in this test, for each search. */
function scannedClusters(segment: SearchedVectors, searches: number): number {
  return clusterScans.mock.contexts.filter((scan) => (scan as SegmentScan).searched === segment).length / searches
}

describe('the recall of the ten nearest vectors is at least 0.98', () => {
  const layout = { dimensions: DENSE, denseDimensions: DENSE }
  const scattered = Array.from({ length: 32_000 }, direction)
  const queries = Array.from({ length: 40 }, direction)

  test('for vectors without any clusters', () => {
    const segment = segmentOf(scattered, layout)
    expect(segment.vectors.sections.clusterEnds.length).toBeGreaterThan(100)
    expect(recallOf([segment], scattered, queries)).toBeGreaterThanOrEqual(0.98)
  })

  test('for vectors in clusters, when a search scans only a few clusters', () => {
    const subjects = Array.from({ length: 800 }, direction)
    const vectors = Array.from({ length: 64_000 }, (_, i) => near(subjects[Math.floor(i / 80)]!))
    const [first, second] = [vectors.slice(0, 32_000), vectors.slice(32_000)].map((part) => segmentOf(part, layout))
    const asked = subjects.slice(0, 40).map(near)
    expect(recallOf([first!, second!], vectors, asked)).toBeGreaterThanOrEqual(0.98)
    expect(scannedClusters(first!, asked.length)).toBeLessThan(0.1 * first!.vectors.sections.clusterEnds.length)
    // No question has a subject of the second segment.
    expect(scannedClusters(second!, asked.length)).toBeLessThan(0.05 * second!.vectors.sections.clusterEnds.length)
  })

  test('for questions whose sparse dimensions count as much as the dense ones', () => {
    const sparse = { dimensions: DENSE + 200, denseDimensions: DENSE }
    const withWords = () => {
      const vector = new Float32Array(sparse.dimensions)
      vector.set(direction())
      for (let i = 0; i < 10; i++) vector[DENSE + Math.floor(200 * random() ** 2)] = 0.3
      return normalise(vector)!
    }
    const vectors = Array.from({ length: 32_000 }, withWords)
    expect(recallOf([segmentOf(vectors, sparse)], vectors, Array.from({ length: 40 }, withWords))).toBeGreaterThanOrEqual(0.98)
  })

  test('for passages that a filter allows', () => {
    const segment = segmentOf(scattered, layout)
    const allowed = createBitmap(scattered.length)
    const isAllowed = (row: number) => row % 7 === 0
    for (const [passage, row] of segment.reader.segment.sections.rows.entries())
      if (isAllowed(Number(row))) setBit(allowed, passage)
    expect(recallOf([{ ...segment, allowed }], scattered, queries, isAllowed)).toBeGreaterThanOrEqual(0.98)
  })
})
