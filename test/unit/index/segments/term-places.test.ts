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
        const added = new Map(
          documents.flatMap(({ document: { nameTerms }, passages }) =>
            passages.map((passage) => [passage.row, { ...passage, nameTerms }]),
          ),
        )
        const hits = segments.flatMap(({ reader: { segment } }, i) =>
          Array.from({ length: segment.passages }, (_, passage) => ({ segment: i, passage })),
        )
        const some = hits.filter((_, i) => i % (step + 1) === 0).toReversed()
        const terms = [...new Set(words)]
        const byTerm = new Map(terms.map((term, i) => [term, [i]]))
        const found = termPlaces(segments, some, terms)
        const expected = some.map(({ segment, passage }) => {
          const { nameTerms, ...own } = added.get(segments[segment]!.reader.segment.passage(passage).row)!
          const finds = findWords(own.terms.split(' '), 0, { words: [], byTerm, pairs: [], total: 0 })
          return {
            places: finds.places,
            terms: finds.words,
            length: finds.length,
            titleLength: own.titleTerms,
            headingLength: own.headingTerms,
            inName: [...terms.keys()].filter((i) => nameTerms.split(' ').includes(terms[i]!)),
          }
        })
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})
