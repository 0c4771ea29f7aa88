import fc from 'fast-check'
import type { ScoringParameters } from '../../src/index/segments/bm25f.ts'
import { DeletionBitmap } from '../../src/index/segments/bitmap.ts'
import { type NewDocument, type NewPassage, SegmentBuilder } from '../../src/index/segments/segment-builder.ts'
import { SegmentReader } from '../../src/index/segments/segment-reader.ts'
import { Segment } from '../../src/index/segments/segment.ts'
import type { NaivePassage } from './naive-search.ts'
import { seeded } from './seeded.ts'

export interface TestDocument {
  document: NewDocument
  passages: NewPassage[]
}

const WORDS = ['a', 'b', 'ab', 'abc', 'zebra', 'Straße', 'ñ', '東京', '\u{10ffff}', '\uffee', '😀', '\ud800', 'x'.repeat(300)]

/**
 * Returns documents with a Zipf-like vocabulary, the same for the same seed. Common words fill several blocks of postings; many passages are
 * equal, so that scores tie; some fields are empty.
 */
export function randomDocuments(seed: number, count: number, passagesEach: number): TestDocument[] {
  const random = seeded(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const word = () => WORDS[below(WORDS.length)] ?? ''
  const common = () => `w${Math.floor(1 / (random() + 0.004))}`
  const words = (most: number) => Array.from({ length: below(most + 1) }, () => (below(8) === 0 ? word() : common()))
  let row = BigInt(seed) << 40n
  return Array.from({ length: count }, (_, n) => ({
    document: {
      id: `doc_${seed}_${n}`,
      version: below(5),
      name: `Näme ${below(20)}.${word()}`,
      nameTerms: words(2).join(' '),
      path: `${below(9)}/${seed}/${n}/${word()}`,
      mediaType: below(2) ? 'application/pdf' : 'text/plain',
      tags: Array.from({ length: below(3) }, () => `tag${below(4)}`),
      createdAt: new Date(below(1e12)),
      titleKey: below(6),
    },
    passages: Array.from({ length: 1 + below(passagesEach) }, (_, index) => {
      const [title, heading] = [words(1), words(2)]
      // Now and then a long passage, or a frequency that does not fit into a byte.
      const body = below(60) ? words(below(20) ? 6 : 400) : new Array<string>(200 + below(900)).fill('w1')
      return {
        row: row++,
        index,
        pageStart: below(50),
        pageEnd: 50 + below(50),
        textHash: `hash${below(1000)}`,
        terms: [...title, ...heading, ...body].join(' '),
        titleTerms: title.length,
        headingTerms: heading.length,
        language: below(4),
      }
    }),
  }))
}

/** A few small collections and a few of many blocks and windows. */
export const collections = fc
  .record({
    seed: fc.nat(2 ** 20),
    documents: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 12 }) },
      { weight: 1, arbitrary: fc.integer({ min: 200, max: 400 }) },
    ),
  })
  .map(({ seed, documents }) => randomDocuments(seed, documents, 14))

export const queries = fc.array(
  fc.oneof(
    fc.constantFrom(...WORDS, 'absent'),
    fc.integer({ min: 1, max: 60 }).map((rank) => `w${rank}`),
  ),
  { minLength: 1, maxLength: 7 },
)

const weights = fc.record({ weight: fc.constantFrom(0, 0.3, 1, 2.5, 40), b: fc.constantFrom(0, 0.4, 0.75, 1) })

export const scorings: fc.Arbitrary<ScoringParameters> = fc.record({
  k1: fc.constantFrom(0, 0.9, 1.2),
  fields: fc.record({ body: weights, heading: weights, title: weights, name: weights }),
})

export function buildSegment(documents: readonly TestDocument[]): Uint8Array {
  const builder = new SegmentBuilder()
  for (const { document, passages } of documents) builder.add(document, passages)
  return builder.finish()
}

/** Returns a reader of the segment in which the passages of the given rows are deleted. */
export function openSegment(bytes: Uint8Array, isDeleted: (row: bigint) => boolean = () => false): SegmentReader {
  const segment = new Segment(bytes)
  const deleted = [...segment.sections.rows.keys()].filter((passage) => isDeleted(segment.sections.rows[passage]!))
  return new SegmentReader(segment, DeletionBitmap.none(segment.sections).with(deleted))
}

/** Puts each document into one of several segments. */
export function divide(documents: readonly TestDocument[], segments: number): TestDocument[][] {
  return Array.from({ length: segments }, (_, segment) => documents.filter((_, n) => (n * 7) % segments === segment))
}

export function passagesOf(documents: readonly TestDocument[]): NaivePassage[] {
  return documents.flatMap(({ document, passages }) =>
    passages.map(({ row, index, terms, titleTerms, headingTerms }) => {
      const [all, bodyStart] = [split(terms), titleTerms + headingTerms]
      const [title, heading, body] = [all.slice(0, titleTerms), all.slice(titleTerms, bodyStart), all.slice(bodyStart)]
      return { row, index, path: document.path.toWellFormed(), words: { title, heading, body, name: split(document.nameTerms) } }
    }),
  )
}

/** Splits terms. Replaces lone surrogates, which UTF-8 cannot encode. */
function split(terms: string): string[] {
  return terms === '' ? [] : terms.toWellFormed().split(' ')
}

/** Returns the documents without the passages of the deleted rows. */
export function without(documents: readonly TestDocument[], isDeleted: (row: bigint) => boolean): TestDocument[] {
  return documents.map(({ document, passages }) => ({ document, passages: passages.filter(({ row }) => !isDeleted(row)) }))
}

/** Every third row, all rows of some documents, or none. */
export const deletions = fc.constantFrom<(row: bigint) => boolean>(
  () => false,
  (row) => row % 3n === 0n,
  (row) => row % 64n < 20n,
  () => true,
)
