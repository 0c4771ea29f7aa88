import { FIELD_COUNT, MAX_PASSAGES, SEGMENT } from './format.ts'
import { PostingsWriter, type Postings } from './postings.ts'
import { writeSections } from './sections.ts'
import { TermDictionaryWriter } from './term-dictionary.ts'

/** What a segment knows of a document. */
export interface SegmentDocument {
  id: string
  path: string
  mediaType: string
  tags: readonly string[]
  createdAt: Date
}

/** What a segment knows of a passage, without its words. */
export interface SegmentPassage {
  /** Row ID in the store. */
  row: bigint
  /** Place within the document. */
  index: number
  /** Number of terms in each field. */
  lengths: ArrayLike<number>
}

/** Returns a number below, at or above 0 for documents in the order of a segment: by path, time and ID. */
export function compareDocuments(a: SegmentDocument, b: SegmentDocument): number {
  return compare(a.path, b.path) || a.createdAt.getTime() - b.createdAt.getTime() || compare(a.id, b.id)
}

/** Writes a segment from documents and terms that are already in order. `SegmentBuilder` and `mergeSegments` put them in order. */
export class SegmentWriter {
  private readonly terms = new TermDictionaryWriter()
  private readonly postings: PostingsWriter
  private readonly columns: ReturnType<typeof writeColumns>

  constructor(documents: readonly (SegmentDocument & { passages: readonly SegmentPassage[] })[]) {
    this.columns = writeColumns(documents)
    this.postings = new PostingsWriter(this.columns.lengths)
  }

  addTerm(term: Uint8Array, postings: Postings): void {
    this.terms.add(term, this.postings.add(postings))
  }

  finish(): Uint8Array {
    return writeSections(SEGMENT, { ...this.columns, ...this.terms.sections(), ...this.postings.sections() })
  }
}

function writeColumns(documents: readonly (SegmentDocument & { passages: readonly SegmentPassage[] })[]) {
  const count = documents.reduce((sum, { passages }) => sum + passages.length, 0)
  if (count > MAX_PASSAGES) throw new RangeError(`a segment cannot have ${count} passages`)
  const summary = Float64Array.of(count, documents.length, ...new Array<number>(FIELD_COUNT).fill(0))
  const lengths = new Uint16Array(count * FIELD_COUNT)
  const rows = new BigUint64Array(count)
  const passageDocuments = new Uint32Array(count)
  const passageIndexes = new Uint32Array(count)
  const strings = new Map<string, number>()
  const stringOf = (text: string): number => {
    const wellFormed = text.toWellFormed()
    const number = strings.get(wellFormed) ?? strings.size
    strings.set(wellFormed, number)
    return number
  }
  const tags: number[] = []
  const table: number[] = []
  let passage = 0
  for (const [ordinal, document] of documents.entries()) {
    for (const tag of document.tags) tags.push(stringOf(tag))
    table.push(stringOf(document.id), stringOf(document.path), stringOf(document.mediaType), tags.length)
    for (const { row, index, lengths: ofFields } of document.passages) {
      rows[passage] = row
      passageDocuments[passage] = ordinal
      passageIndexes[passage] = index
      for (let f = 0; f < FIELD_COUNT; f++) {
        lengths[passage * FIELD_COUNT + f] = ofFields[f]!
        summary[2 + f]! += ofFields[f]!
      }
      passage++
    }
  }
  const texts = [...strings.keys()].map((text) => Buffer.from(text))
  let end = 0
  return {
    summary,
    lengths,
    rows,
    passageDocuments,
    passageIndexes,
    documents: Uint32Array.from(table),
    documentTags: Uint32Array.from(tags),
    documentTimes: Float64Array.from(documents, ({ createdAt }) => createdAt.getTime()),
    strings: new Uint8Array(Buffer.concat(texts)),
    stringEnds: Uint32Array.from(texts, (text) => (end += text.length)),
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
