import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, expect, test } from 'vitest'
import { DeletionBitmap } from '../../../../src/index/segments/bitmap.ts'
import { filterSegment } from '../../../../src/index/segments/filter-segment.ts'
import { SEGMENT } from '../../../../src/index/segments/format.ts'
import { checksumsOfPages, PAGE_BYTES, pageCache, PagedBytes, type PagedFile } from '../../../../src/index/segments/paged-file.ts'
import { searchSegments } from '../../../../src/index/segments/search.ts'
import { type FileKind, type SectionTable, verifyLarge } from '../../../../src/index/segments/sections.ts'
import { SegmentReader } from '../../../../src/index/segments/segment-reader.ts'
import { Segment } from '../../../../src/index/segments/segment.ts'
import { openPaged, readerOf } from '../../../../src/index/segments/store/files.ts'
import { termPlaces } from '../../../../src/index/segments/term-places.ts'
import { buildVectors } from '../../../../src/index/segments/vectors/build.ts'
import { VECTORS } from '../../../../src/index/segments/vectors/format.ts'
import { searchVectors } from '../../../../src/index/segments/vectors/search.ts'
import { SegmentVectors } from '../../../../src/index/segments/vectors/segment-vectors.ts'
import { errorCode } from '../../../support/codes.ts'
import {
  buildSegment,
  collections,
  deletions,
  divide,
  openSegment,
  queries,
  randomDocuments,
  scorings,
} from '../../../support/random-segments.ts'
import { layouts, vectorOfRow } from '../../../support/random-vectors.ts'
import { seeded } from '../../../support/seeded.ts'

const folder = mkdtempSync(join(tmpdir(), 'docsearch-paged-'))
const CACHE_BYTES = 4 * PAGE_BYTES
const opened: PagedFile[] = []
let files = 0

function paged<T extends SectionTable>(kind: FileKind<T>, bytes: Uint8Array): PagedFile {
  const path = join(folder, `${++files}`)
  writeFileSync(path, bytes)
  const file = openPaged(kind, path, CACHE_BYTES)
  // The file may be deleted while it is read.
  rmSync(path)
  opened.push(file)
  return file
}

afterEach(() => {
  for (const { handle } of opened.splice(0)) closeSync(handle)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('keyword search finds the same passages with equal scores when the postings stay on disk', () => {
  fc.assert(
    fc.property(
      collections,
      queries,
      scorings,
      deletions,
      fc.integer({ min: 1, max: 4 }),
      (documents, words, scoring, isDeleted, count) => {
        const inMemory = divide(documents, count).map((part) => openSegment(buildSegment(part), isDeleted))
        const onDisk = divide(documents, count).map((part, i) => {
          const segment = new Segment(paged(SEGMENT, buildSegment(part)))
          return new SegmentReader(segment, DeletionBitmap.open(inMemory[i]!.deletions.toBytes()))
        })
        const find = (readers: SegmentReader[]) => {
          const segments = readers.map((reader) => ({ reader, allowed: filterSegment(reader, {}) }))
          const hits = searchSegments(segments, words, { limit: 50, scoring })
          return { hits, places: termPlaces(segments, hits, [...new Set(words.map((word) => word.toWellFormed()))]) }
        }
        expect(find(onDisk)).toEqual(find(inMemory))
        expect(pageCache.bytes).toBeLessThanOrEqual(CACHE_BYTES)
      },
    ),
    { numRuns: 60 },
  )
})

test('vector search finds the same passages with equal scores when the planes stay on disk', () => {
  fc.assert(
    fc.property(layouts, fc.nat(1000), fc.boolean(), (layout, seed, isFiltered) => {
      const reader = openSegment(buildSegment(randomDocuments(seed, 60, 14)), (row) => row % 9n === 0n)
      const rows = [...reader.segment.sections.rows]
      const bytes = buildVectors(
        rows.map((row) => vectorOfRow(row, layout)),
        layout,
      )
      const allowed = isFiltered ? filterSegment(reader, { tags: ['tag1'] }) : null
      const random = seeded(seed)
      const query = Float32Array.from({ length: layout.dimensions }, () => random() - 0.5)
      const find = (vectors: SegmentVectors) => searchVectors([{ reader, allowed, vectors }], query, 20)
      expect(find(new SegmentVectors(paged(VECTORS, bytes)))).toEqual(find(new SegmentVectors(bytes)))
      expect(pageCache.bytes).toBeLessThanOrEqual(CACHE_BYTES)
    }),
    { numRuns: 60 },
  )
})

test('a cache keeps the pages that were used last, within its limit', () => {
  const path = join(folder, 'pages')
  const content = Uint8Array.from({ length: 9 * PAGE_BYTES + 100 }, (_, i) => (i * 31) >>> 8)
  writeFileSync(path, content)
  const bytes = openBytes(path, content)
  expect(bytes.copy(10, content.length + 4)).toEqual(Uint8Array.from([...content.subarray(10), 0, 0, 0, 0]))
  expect(pageCache.bytes).toBe(CACHE_BYTES)
  const before = pageCache.reads
  for (let i = 0; i < 20; i++) for (const page of [9, 8, 7, 6]) bytes.read(page * PAGE_BYTES + i, page * PAGE_BYTES + i + 50)
  expect(pageCache.reads).toBe(before)
  bytes.read(0, 1)
  bytes.read(8 * PAGE_BYTES, 8 * PAGE_BYTES + 1)
  expect(pageCache.reads).toBe(before + 1)
  bytes.read(9 * PAGE_BYTES, 9 * PAGE_BYTES + 1)
  expect(pageCache.reads).toBe(before + 2)
})

test('never returns bytes of a damaged page, and names the segment', () => {
  const path = join(folder, 'damaged')
  const content = Uint8Array.from({ length: 3 * PAGE_BYTES }, (_, i) => (i * 31) >>> 8)
  const damage = { code: errorCode('index_corrupt'), segment: 'one' }
  const found = (harmed: Uint8Array) => {
    writeFileSync(path, harmed)
    return openBytes(path, content)
  }
  const flipped = found(content.with(PAGE_BYTES + 5, 1 ^ content[PAGE_BYTES + 5]!))
  expect(flipped.copy(0, PAGE_BYTES)).toEqual(content.subarray(0, PAGE_BYTES))
  for (let attempt = 0; attempt < 2; attempt++)
    expect(() => flipped.copy(2 * PAGE_BYTES - 10, 2 * PAGE_BYTES)).toThrow(expect.objectContaining(damage))
  expect(() => found(content.subarray(0, 2 * PAGE_BYTES + 7)).copy(2 * PAGE_BYTES, content.length)).toThrow(
    expect.objectContaining(damage),
  )
})

/** Opens a file as one section with this content. */
function openBytes(path: string, content: Uint8Array): PagedBytes {
  const resident = new SharedArrayBuffer(0)
  const file = { segment: 'one', resident, handle: openSync(path, 'r'), size: content.length, cacheBytes: CACHE_BYTES }
  opened.push(file)
  return new PagedBytes(file, { offset: 0, length: content.length, checksums: checksumsOfPages(content) })
}

test('finds damage in every section, in memory and on disk', () => {
  const bytes = buildSegment(randomDocuments(4, 40, 9))
  for (let at = 0; at < bytes.length; at += 97) {
    const damaged = bytes.slice()
    damaged[at]! ^= 4
    const openOnDisk = () => {
      const file = paged(SEGMENT, damaged)
      verifyLarge(SEGMENT, file, readerOf(file))
    }
    // The zeros between sections mean nothing.
    if (isDamage(() => new Segment(damaged))) expect(isDamage(openOnDisk), `byte ${at}`).toBe(true)
    else expect(openOnDisk, `byte ${at}`).not.toThrow()
  }
})

function isDamage(open: () => void): boolean {
  try {
    open()
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: errorCode('index_corrupt') })
    return true
  }
}
