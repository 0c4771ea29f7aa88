import { FIELD_COUNT, MAX_FIELD_LENGTH } from './format.ts'
import type { Postings } from './postings.ts'
import { ColumnsWriter, compareDocuments, type SegmentDocument, type SegmentPassage } from './segment-columns.ts'
import { SegmentWriter } from './segment-writer.ts'

/** A passage with its analysed terms. The first terms are those of the title, the next those of the headings, the others the body's. */
export interface NewPassage extends SegmentPassage {
  /** Separated by spaces. Empty for a passage without terms. */
  terms: string
  titleTerms: number
  headingTerms: number
}

/** A document with the analysed terms of its name, separated by spaces. */
export type NewDocument = SegmentDocument & { nameTerms: string }

interface AddedPassage {
  passage: NewPassage
  /** Place among the passages as they were added. */
  place: number
  /** Numbers of terms: body, headings, title, name. */
  words: number[]
  lengths: number[]
}

/**
 * Builds a segment of the passages of one project. The bytes depend only on the documents, not on the order in which they came, so that
 * two instances with the same documents have the same segments.
 */
export class SegmentBuilder {
  private readonly numbers = new Map<string, number>()
  private readonly documents: (SegmentDocument & { passages: AddedPassage[] })[] = []
  private count = 0

  /** Adds a document with its passages in ascending order. A document without passages is not in the segment. */
  add({ nameTerms, ...document }: NewDocument, passages: readonly NewPassage[]): void {
    if (passages.length === 0) return
    const name = this.wordsOf(nameTerms)
    this.documents.push({
      ...document,
      id: document.id.toWellFormed(),
      path: document.path.toWellFormed(),
      passages: passages.map((passage) => {
        const all = this.wordsOf(passage.terms)
        const { titleTerms } = passage
        const bodyStart = titleTerms + passage.headingTerms
        if (all.length + name.length > MAX_FIELD_LENGTH) throw new RangeError(`a passage has more than ${MAX_FIELD_LENGTH} terms`)
        const words = [...all.slice(bodyStart), ...all.slice(titleTerms, bodyStart), ...all.slice(0, titleTerms), ...name]
        const lengths = [all.length - bodyStart, passage.headingTerms, titleTerms, name.length]
        return { passage, place: this.count++, words, lengths }
      }),
    })
  }

  /** Returns for each passage of the segment its place among the passages as they were added. */
  order(): Uint32Array {
    return Uint32Array.from(this.sorted().flatMap(({ passages }) => passages.map(({ place }) => place)))
  }

  finish(): Uint8Array {
    const documents = this.sorted()
    const all = documents.flatMap(({ passages }) => passages)
    const columns = new ColumnsWriter(this.count)
    for (const document of documents) columns.addDocument(document, document.passages.length)
    for (const [number, { passage, lengths }] of all.entries()) {
      columns.setPassage(number, passage)
      columns.passages.lengths.set(lengths, number * FIELD_COUNT)
    }
    const writer = new SegmentWriter(columns)
    const { starts, passages, frequencies } = invert(all, this.numbers.size)
    const terms = [...this.numbers].map(([term, number]) => ({ bytes: Buffer.from(term), number }))
    terms.sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    for (const { bytes, number } of terms) {
      const [from, end] = [starts[number]!, starts[number + 1]!]
      writer.addTerm(bytes, {
        count: end - from,
        passages: passages.subarray(from, end),
        frequencies: frequencies.subarray(from * FIELD_COUNT, end * FIELD_COUNT),
      })
    }
    return writer.finish()
  }

  private sorted() {
    return this.documents.toSorted(compareDocuments)
  }

  private wordsOf(terms: string): number[] {
    return terms === '' ? [] : terms.split(' ').map((term) => this.numberOf(term))
  }

  private numberOf(term: string): number {
    const known = this.numbers.get(term)
    if (known !== undefined) return known
    // Two strings that are not well-formed may be the same term in UTF-8.
    const wellFormed = term.toWellFormed()
    const number = this.numbers.get(wellFormed) ?? this.numbers.size
    this.numbers.set(wellFormed, number)
    return number
  }
}

/** Turns the words of each passage into the postings of each word. Word `w` has the postings from `starts[w]` to `starts[w + 1]`. */
function invert(all: readonly AddedPassage[], words: number): Omit<Postings, 'count'> & { starts: Uint32Array } {
  const lastPassage = new Int32Array(words).fill(-1)
  const starts = new Uint32Array(words + 1)
  for (const [passage, { words: ofPassage }] of all.entries()) {
    for (const word of ofPassage) {
      if (lastPassage[word] !== passage) starts[word + 1]!++
      lastPassage[word] = passage
    }
  }
  for (let word = 0; word < words; word++) starts[word + 1]! += starts[word]!
  const ends = starts.slice()
  const inverted = {
    starts,
    passages: new Uint32Array(starts[words]!),
    frequencies: new Uint16Array(starts[words]! * FIELD_COUNT),
  }
  lastPassage.fill(-1)
  for (const [passage, { words: ofPassage, lengths }] of all.entries()) {
    let at = 0
    for (let f = 0; f < FIELD_COUNT; f++) {
      for (const end = at + lengths[f]!; at < end; at++) {
        const word = ofPassage[at]!
        if (lastPassage[word] !== passage) inverted.passages[ends[word]!++] = passage
        lastPassage[word] = passage
        inverted.frequencies[(ends[word]! - 1) * FIELD_COUNT + f]!++
      }
    }
  }
  return inverted
}
