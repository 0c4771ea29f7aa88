import { grown } from './bytes.ts'
import { FIELD_COUNT, FIELDS, MAX_FIELD_LENGTH, NAME_FIELD, SEGMENT } from './format.ts'
import { PostingsWriter } from './postings.ts'
import { writeSections } from './sections.ts'
import { ColumnsWriter, compareDocuments, type SegmentDocument, type SegmentPassage } from './segment-columns.ts'
import { TermTable } from './term-table.ts'

/** A passage with its analysed terms: the terms of the title first, then the terms of the headings, then the terms of the body. */
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
  /** Its index among the passages in the order in which they were added. */
  added: number
  /** Its terms are in `words` from `start` up to `end`. The terms of the document's name come last, from `nameStart` on. */
  start: number
  nameStart: number
  end: number
}

const [BODY, HEADING, TITLE] = (['body', 'heading', 'title'] as const).map((field) => FIELDS.indexOf(field)) as [
  number,
  number,
  number,
]

/**
 * Builds a segment of the passages of one project. The bytes depend only on the documents, not on the order in which they came, so that
 * two instances with the same documents have the same segments.
 */
export class SegmentBuilder {
  private readonly table = new TermTable()
  private readonly documents: (SegmentDocument & { passages: AddedPassage[] })[] = []
  private count = 0
  /** The terms of all passages, as numbers of the term table. */
  private words = new Uint32Array(2 ** 14)
  private used = 0

  /** Adds a document with its passages, which are in ascending order. Ignores a document without passages. */
  add({ nameTerms, ...document }: NewDocument, passages: readonly NewPassage[]): void {
    if (passages.length === 0) return
    this.documents.push({
      ...document,
      id: document.id.toWellFormed(),
      path: document.path.toWellFormed(),
      passages: passages.map((passage) => {
        const start = this.used
        const nameStart = this.addTerms(passage.terms)
        const end = this.addTerms(nameTerms)
        if (end - start > MAX_FIELD_LENGTH) throw new RangeError(`a passage has more than ${MAX_FIELD_LENGTH} terms`)
        return { passage, added: this.count++, start, nameStart, end }
      }),
    })
  }

  /** Returns, for each passage of the segment, its index in the order in which passages were added. */
  order(): Uint32Array {
    return Uint32Array.from(this.sorted().flatMap(({ passages }) => passages.map(({ added }) => added)))
  }

  finish(): Uint8Array {
    const documents = this.sorted()
    const passages = documents.flatMap((document) => document.passages)
    const columns = new ColumnsWriter(passages.length)
    for (const document of documents) columns.addDocument(document, document.passages.length)
    const { lengths } = columns.passages
    for (const [number, { passage, start, nameStart, end }] of passages.entries()) {
      columns.setPassage(number, passage)
      const at = number * FIELD_COUNT
      lengths[at + TITLE] = passage.titleTerms
      lengths[at + HEADING] = passage.headingTerms
      lengths[at + BODY] = nameStart - start - passage.titleTerms - passage.headingTerms
      lengths[at + NAME_FIELD] = end - nameStart
    }
    return writeSections(SEGMENT, { ...columns.sections(), ...this.invert(passages, lengths) })
  }

  private sorted() {
    return this.documents.toSorted(compareDocuments)
  }

  /** Appends the numbers of terms to `words`. Returns where they end. */
  private addTerms(terms: string): number {
    if (this.words.length < this.used + terms.length + 1) this.words = grown(this.words, 2 * this.words.length + terms.length)
    return (this.used += this.table.add(terms, this.words, this.used))
  }

  /** Inverts the terms of each passage into the postings of each term. Term `t` has the occurrences from `starts[t]` up to `starts[t + 1]`. */
  private invert(passages: readonly AddedPassage[], lengths: Uint16Array): ReturnType<PostingsWriter['sections']> {
    const { words, table } = this
    const starts = new Uint32Array(table.count + 1)
    for (let i = 0; i < this.used; i++) starts[words[i]! + 1]!++
    for (let term = 0; term < table.count; term++) starts[term + 1]! += starts[term]!
    const ends = starts.slice()
    const occurrences = { passages: new Uint32Array(this.used), places: new Uint16Array(this.used) }
    for (const [passage, { start, end }] of passages.entries()) {
      for (let i = start; i < end; i++) {
        const at = ends[words[i]!]!++
        occurrences.passages[at] = passage
        occurrences.places[at] = i - start
      }
    }
    const writer = new PostingsWriter(lengths)
    const gathered = new OccurrenceGatherer(occurrences, lengths)
    table.eachSorted((term, number) => writer.add(term, gathered.gather(starts[number]!, starts[number + 1]!)))
    return writer.sections()
  }
}

/** Turns the occurrences of a term into its postings, for one term after another. */
class OccurrenceGatherer {
  count = 0
  passages = new Uint32Array(64)
  frequencies = new Uint16Array(64 * FIELD_COUNT)
  places = new Uint16Array(64)
  private readonly occurrences: { passages: Uint32Array; places: Uint16Array }
  private readonly lengths: Uint16Array

  constructor(occurrences: { passages: Uint32Array; places: Uint16Array }, lengths: Uint16Array) {
    this.occurrences = occurrences
    this.lengths = lengths
  }

  /** Returns the postings of the occurrences from `start` up to `end`. The next call overwrites them. */
  gather(start: number, end: number): this {
    if (end - start > this.passages.length) {
      this.passages = new Uint32Array(2 * (end - start))
      this.frequencies = new Uint16Array(this.passages.length * FIELD_COUNT)
      this.places = new Uint16Array(this.passages.length)
    }
    const { lengths } = this
    this.frequencies.fill(0, 0, (end - start) * FIELD_COUNT)
    let count = 0
    let places = 0
    let last = -1
    for (let i = start; i < end; i++) {
      const passage = this.occurrences.passages[i]!
      const place = this.occurrences.places[i]!
      if (passage !== last) this.passages[count++] = last = passage
      const titleEnd = lengths[passage * FIELD_COUNT + TITLE]!
      const bodyStart = titleEnd + lengths[passage * FIELD_COUNT + HEADING]!
      let field = BODY
      if (place < titleEnd) field = TITLE
      else if (place < bodyStart) field = HEADING
      else if (place >= bodyStart + lengths[passage * FIELD_COUNT + BODY]!) field = NAME_FIELD
      this.frequencies[(count - 1) * FIELD_COUNT + field]!++
      if (field !== NAME_FIELD) this.places[places++] = place
    }
    this.count = count
    return this
  }
}
