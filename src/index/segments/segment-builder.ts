import { FIELD_COUNT, FIELDS, MAX_FIELD_LENGTH, type Field } from './format.ts'
import type { Postings } from './postings.ts'
import { compareDocuments, SegmentWriter, type SegmentDocument, type SegmentPassage } from './segment-writer.ts'

/** A passage with its analysed terms by field. */
export type NewPassage = Omit<SegmentPassage, 'lengths'> & { terms: Readonly<Record<Field, readonly string[]>> }

/**
 * Builds a segment of the passages of one project. The bytes depend only on the documents, not on the order in which they came, so that
 * two instances with the same documents have the same segments.
 */
export class SegmentBuilder {
  private readonly numbers = new Map<string, number>()
  private readonly documents: (SegmentDocument & { passages: (SegmentPassage & { words: Uint32Array })[] })[] = []

  /** Adds a document with its passages in ascending order. A document without passages is not in the segment. */
  add(document: SegmentDocument, passages: readonly NewPassage[]): void {
    if (passages.length === 0) return
    this.documents.push({
      ...document,
      id: document.id.toWellFormed(),
      path: document.path.toWellFormed(),
      passages: passages.map(({ row, index, terms }) => {
        const lengths = FIELDS.map((field) => terms[field].length)
        if (Math.max(...lengths) > MAX_FIELD_LENGTH) throw new RangeError(`a field has more than ${MAX_FIELD_LENGTH} terms`)
        return {
          row,
          index,
          lengths,
          words: Uint32Array.from(
            FIELDS.flatMap((field) => terms[field]),
            this.numberOf,
            this,
          ),
        }
      }),
    })
  }

  finish(): Uint8Array {
    const documents = this.documents.toSorted(compareDocuments)
    const writer = new SegmentWriter(documents)
    const { starts, passages, frequencies } = invert(
      documents.flatMap((document) => document.passages),
      this.numbers.size,
    )
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

  /** Returns the number of each term, field after field. */
  private wordsOf(terms: NewPassage['terms']): Uint32Array {
    const words = new Uint32Array(FIELDS.reduce((sum, field) => sum + terms[field].length, 0))
    let at = 0
    for (const field of FIELDS) for (const term of terms[field]) words[at++] = this.numberOf(term)
    return words
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
function invert(
  passages: readonly (SegmentPassage & { words: Uint32Array })[],
  words: number,
): Omit<Postings, 'count'> & { starts: Uint32Array } {
  const lastPassage = new Int32Array(words).fill(-1)
  const starts = new Uint32Array(words + 1)
  for (const [passage, { words: ofPassage }] of passages.entries()) {
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
  for (const [passage, { words: ofPassage, lengths }] of passages.entries()) {
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
