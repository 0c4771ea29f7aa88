import fc from 'fast-check'
import { expect, test } from 'vitest'
import { termPlaces } from '../../../../src/index/segments/term-places.ts'
import { findWords } from '../../../support/find-words.ts'
import { buildSegment, collections, deletions, divide, openSegment, queries } from '../../../support/random-segments.ts'

test('the places of terms match the text of the terms', () => {
  fc.assert(
    fc.property(
      collections,
      queries,
      deletions,
      fc.integer({ min: 1, max: 5 }),
      fc.nat(6),
      (documents, words, isDeleted, count, step) => {
        const segments = divide(documents, count).map((part) => ({ reader: openSegment(buildSegment(part), isDeleted) }))
        const added = new Map(documents.flatMap(({ passages }) => passages.map((passage) => [passage.row, passage])))
        const hits = segments.flatMap(({ reader: { segment } }, i) =>
          Array.from({ length: segment.passages }, (_, passage) => ({ segment: i, passage })),
        )
        const some = hits.filter((_, i) => i % (step + 1) === 0).toReversed()
        const terms = [...new Set(words)]
        const byTerm = new Map(terms.map((term, i) => [term, [i]]))
        const found = termPlaces(segments, some, terms).map(({ terms: numbers, ...places }) => ({ ...places, words: numbers }))
        const expected = some.map(({ segment, passage }) => {
          const { terms, titleTerms, headingTerms } = added.get(segments[segment]!.reader.segment.passage(passage).row)!
          return findWords(terms.split(' '), titleTerms + headingTerms, { words: [], byTerm, pairs: [], total: 0 })
        })
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})
