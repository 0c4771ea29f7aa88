import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldName } from '../../../../src/core/fold-name.ts'
import type { SearchFilter } from '../../../../src/core/search-filter.ts'
import { membersOf } from '../../../../src/index/segments/bitmap.ts'
import { filterSegment } from '../../../../src/index/segments/filter-segment.ts'
import type { SegmentDocument } from '../../../../src/index/segments/segment-columns.ts'
import { buildSegment, collections, openSegment } from '../../../support/random-segments.ts'

const list = (...values: string[]) => fc.subarray(values)
const dates = fc.integer({ min: -1e11, max: 1e12 }).map((time) => new Date(time))

const filters: fc.Arbitrary<SearchFilter> = fc.record(
  {
    documentIds: list('0', '1', '5', '14'),
    mediaTypes: list('application/pdf', 'text/html'),
    tags: list('tag1', 'tag2', 'absent'),
    pathPrefix: fc.constantFrom('', '3', '3/', '8/', '9', '\u{10ffff}'),
    createdAfter: dates,
    createdBefore: dates,
    nameParts: list('', 'NÄME', 'e 1', '1.', 'straße', '\ufffd', '.Näme'),
    withoutNameParts: list('5', '東', 'ZEBRA', 'Nowhere'),
    operatorPaths: fc.subarray(['3', '3/', '8/', '9'], { minLength: 1 }),
    withoutPaths: list('3/', '1', '\u{10ffff}'),
    operatorTags: list('tag1', 'tag2'),
    withoutTags: list('tag2', 'tag3', 'absent'),
    operatorTypes: fc.subarray(['application/pdf', 'text/html'], { minLength: 1 }),
    withoutTypes: list('application/pdf', 'absent/type'),
  },
  { requiredKeys: [] },
)

function accepts(filter: SearchFilter, document: SegmentDocument): boolean {
  const { documentIds, mediaTypes, tags, pathPrefix, createdAfter, createdBefore, nameParts, withoutNameParts } = filter
  const hasPart = (part: string) => foldName(document.name.toWellFormed()).includes(foldName(part))
  const isIn = (prefix: string) => document.path.toWellFormed().startsWith(prefix)
  return (
    (documentIds?.includes(document.id) ?? true) &&
    (mediaTypes?.includes(document.mediaType) ?? true) &&
    (tags?.some((tag) => document.tags.includes(tag)) ?? true) &&
    document.path.toWellFormed().startsWith(pathPrefix ?? '') &&
    !(createdAfter && document.createdAt < createdAfter) &&
    !(createdBefore && document.createdAt >= createdBefore) &&
    !nameParts?.some((part) => !hasPart(part)) &&
    !withoutNameParts?.some(hasPart) &&
    (filter.operatorPaths?.some(isIn) ?? true) &&
    !filter.withoutPaths?.some(isIn) &&
    (filter.operatorTags?.every((tag) => document.tags.includes(tag)) ?? true) &&
    !filter.withoutTags?.some((tag) => document.tags.includes(tag)) &&
    (filter.operatorTypes?.includes(document.mediaType) ?? true) &&
    !filter.withoutTypes?.includes(document.mediaType)
  )
}

test('a filter allows the passages of the documents that meet all of its conditions', () => {
  fc.assert(
    fc.property(collections, filters, (documents, { documentIds, ...others }) => {
      const ids = documentIds?.map((n) => documents[Number(n)]?.document.id ?? 'absent')
      const filter = ids ? { ...others, documentIds: ids } : others
      const reader = openSegment(buildSegment(documents))
      const allowed = filterSegment(reader, filter)
      const { rows } = reader.segment.sections
      const found = allowed ? [...membersOf(allowed)].map((passage) => rows[passage]!) : [...rows]
      const expected = documents.filter(({ document }) => accepts(filter, document)).flatMap(({ passages }) => passages)
      expect(new Set(found)).toEqual(new Set(expected.map(({ row }) => row)))
    }),
    { numRuns: 100 },
  )
})

test('conditions that a segment cannot test allow all passages', () => {
  const reader = openSegment(buildSegment([]))
  expect(filterSegment(reader, { phrases: ['a b'], withoutPhrases: ['c'] })).toBeNull()
})

test('a segment finds documents by their ID', () => {
  fc.assert(
    fc.property(collections, (documents) => {
      const { segment } = openSegment(buildSegment(documents))
      for (const { document, passages } of documents) {
        const found = segment.documentsWithId(document.id)
        expect(found.map((number) => segment.document(number).id)).toEqual([document.id])
        const { start, end } = segment.passagesOf(found[0]!)
        expect([...segment.sections.rows.subarray(start, end)]).toEqual(passages.map(({ row }) => row))
      }
      expect(segment.documentsWithId('absent')).toEqual([])
    }),
    { numRuns: 30 },
  )
})
