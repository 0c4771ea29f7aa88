import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PLAIN_BM25 } from '../../../../src/index/segments/bm25f.ts'
import { DeletionBitmap } from '../../../../src/index/segments/bitmap.ts'
import { FIELDS } from '../../../../src/index/segments/format.ts'
import { DELETED, mergeSegments } from '../../../../src/index/segments/merge.ts'
import { MatchedPassage } from '../../../../src/index/segments/matched-passage.ts'
import { searchSegments } from '../../../../src/index/segments/search.ts'
import { SegmentBuilder } from '../../../../src/index/segments/segment-builder.ts'
import { termOf } from '../../../../src/index/segments/term-dictionary.ts'
import { Segment } from '../../../../src/index/segments/segment.ts'
import { damaged, expectDamage } from '../../../support/damage.ts'
import {
  buildSegment,
  collections,
  deletions,
  divide,
  openSegment,
  passagesOf,
  randomDocuments,
  without,
} from '../../../support/random-segments.ts'

test('a segment returns the documents, passages and counts of terms that it was built from', () => {
  const documents = randomDocuments(3, 80, 9)
  const segment = new Segment(buildSegment(documents))
  const sorted = documents.toSorted((a, b) => (a.document.path < b.document.path ? -1 : 1))
  const words = new Map(passagesOf(documents).map((passage) => [passage.row, passage.words]))
  const expected = sorted.flatMap(({ document: { nameTerms: _nameTerms, ...document }, passages }) =>
    passages.map(({ row, index, pageStart, pageEnd }) => ({
      document: { ...document, name: document.name.toWellFormed(), path: document.path.toWellFormed() },
      hit: { id: `${document.id}:${document.version}:${index}`, documentId: document.id, version: document.version },
      passage: { row, index, pageStart, pageEnd },
      lengths: FIELDS.map((field) => words.get(row)![field].length),
    })),
  )
  const found = Array.from({ length: segment.passages }, (_, passage) => {
    const { document, lengths } = segment.passage(passage)
    const { id, documentId, documentNumber, row, index, pageStart, pageEnd } = new MatchedPassage(0, passage, segment)
    return {
      document: segment.document(document),
      hit: { id, documentId, version: segment.versionOf(documentNumber) },
      passage: { row, index, pageStart, pageEnd },
      lengths: Array.from(lengths),
    }
  })
  expect(found).toEqual(expected)
  const titled = (key: number) => [...segment.documentsTitled(key)].map((document) => segment.document(document).id).toSorted()
  for (const key of [0, 3, 6])
    expect(titled(key)).toEqual(documents.flatMap(({ document: { id, titleKey } }) => (titleKey === key ? [id] : [])).toSorted())
  const hashes = Array.from({ length: segment.passages }, (_, passage) => new MatchedPassage(0, passage, segment).textKey)
  const texts = sorted.flatMap(({ passages }) => passages.map(({ textHash }) => textHash))
  expect(hashes.map((hash) => hashes.indexOf(hash))).toEqual(texts.map((text) => texts.indexOf(text)))

  const terms = new Set([...words.values()].flatMap((fields) => Object.values(fields).flat()))
  for (const term of terms) {
    const counts = new Array<number>(16).fill(0)
    for (const fields of words.values()) {
      const sets = FIELDS.map((field, f) => (fields[field].includes(term) ? 1 << f : 0))
      counts[sets.reduce((set, bit) => set | bit, 0)]!++
    }
    counts[0] = 0
    const place = segment.terms.find(termOf(term))
    for (let fields = 1; fields < 16; fields++) {
      const having = counts.reduce((sum, count, set) => ((set & fields) === 0 ? sum : sum + count), 0)
      expect(segment.terms.frequency(place, fields)).toBe(having)
    }
  }
  for (const absent of ['absent', 'w', '\u{10ffff}x', '\0']) expect(segment.terms.find(termOf(absent))).toBe(0)
})

test('the bytes of a segment depend only on its documents', () => {
  const documents = randomDocuments(4, 40, 9)
  const bytes = buildSegment(documents)
  expect(Buffer.compare(buildSegment(documents.toReversed()), bytes)).toBe(0)
  expect(Buffer.compare(buildSegment(randomDocuments(5, 40, 9)), bytes)).not.toBe(0)
})

test('a builder returns the order of the passages in the segment', () => {
  const documents = randomDocuments(9, 40, 9)
  const builder = new SegmentBuilder()
  for (const { document, passages } of documents) builder.add(document, passages)
  const added = documents.flatMap(({ passages }) => passages.map(({ row }) => row))
  const order = Array.from(builder.order(), (place) => added[place])
  expect(order).toEqual([...new Segment(builder.finish()).sections.rows])
})

test('a merged segment has the same bytes as one that is built from the remaining passages, and the merge returns the new number of each passage', () => {
  fc.assert(
    fc.property(collections, deletions, fc.integer({ min: 1, max: 4 }), (documents, isDeleted, count) => {
      const readers = divide(documents, count).map((part) => openSegment(buildSegment(part), isDeleted))
      const { bytes, numbers } = mergeSegments(readers)
      expect(Buffer.compare(bytes, buildSegment(without(documents, isDeleted)))).toBe(0)
      const { rows } = new Segment(bytes).sections
      for (const [i, { segment }] of readers.entries()) {
        const moved = Array.from(segment.sections.rows, (row) => (isDeleted(row) ? DELETED : rows.indexOf(row)))
        expect([...numbers[i]!]).toEqual(moved)
      }
    }),
  )
})

test('a segment can be read from shared memory and from bytes at an odd address', () => {
  const bytes = buildSegment(randomDocuments(6, 20, 9))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  const odd = new Uint8Array(bytes.length + 1).subarray(1)
  odd.set(bytes)
  for (const copy of [shared, odd]) expect(answers(copy)).toEqual(answers(bytes))
  expect(new Segment(shared).sections.postings.buffer).toBe(shared.buffer)
})

test('a damaged segment is reported as damaged or answers as before', () => {
  const bytes = buildSegment(randomDocuments(7, 30, 9))
  const before = answers(bytes)
  for (const [what, copy] of Object.entries(damaged(Buffer.from(bytes)))) expectDamage(what, () => answers(copy), before)
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(254), (at, change) => {
      const copy = bytes.slice()
      copy[at] = (copy[at]! + 1 + change) & 255
      expectDamage(`byte ${at}`, () => answers(copy), before)
    }),
  )
})

test('deletions are kept in a file of their own, one generation after the other', () => {
  const { sections } = new Segment(buildSegment(randomDocuments(8, 30, 9)))
  const none = DeletionBitmap.none(sections)
  const two = none.with([3, 40]).with([40, 41])
  expect([none.count, none.has(40)]).toEqual([0, false])
  const opened = DeletionBitmap.open(two.toBytes())
  expect(opened).toEqual(two)
  expect([opened.generation, opened.count, opened.has(41), opened.has(42)]).toEqual([2, 3, true, false])
  expect(() => none.with([none.passages])).toThrow(RangeError)
  const file = Buffer.from(two.toBytes())
  for (const [what, copy] of Object.entries(damaged(file))) expectDamage(what, () => DeletionBitmap.open(copy), two)
})

function answers(bytes: Uint8Array) {
  const reader = openSegment(bytes)
  const options = { limit: 50, scoring: PLAIN_BM25 }
  return searchSegments([{ reader, allowed: null }], ['w1', 'w2', 'zebra'], options).map((hit) => ({
    ...hit,
    document: reader.segment.document(reader.segment.passage(hit.passage).document),
  }))
}

test('a segment finds documents by their exact names, with and without the extension, in any letter case', () => {
  const names = ['Näme.PDF', 'NÄME.txt', 'näme', 'name.pdf', 'a.b.pdf', 'a.b', 'a', '.env', 'x.tar.gz', '']
  const base = randomDocuments(1, 1, 1)[0]!
  const documents = names.map((name, n) => ({ ...base, document: { ...base.document, name, path: `${n}`, id: `doc_${n}` } }))
  const segment = new Segment(buildSegment(documents))
  const named = (name: string) =>
    segment
      .documentsNamed(name, 100)
      .map((document) => segment.document(document).name)
      .toSorted()
  expect(named('näme')).toEqual(['NÄME.txt', 'Näme.PDF', 'näme'])
  expect(named('NÄME.PDF')).toEqual(['Näme.PDF'])
  expect(named('A.B')).toEqual(['a.b', 'a.b.pdf'])
  expect(named('a.b.pdf')).toEqual(['a.b.pdf'])
  expect(named('a')).toEqual(['a', 'a.b'])
  expect(named('.env')).toEqual(['.env'])
  expect(named('x')).toEqual([])
  expect(named('x.tar')).toEqual(['x.tar.gz'])
})
