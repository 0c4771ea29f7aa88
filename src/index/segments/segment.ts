import type { PassageHit } from '../chunk-index.ts'
import { type Bitmap, createBitmap, setBit } from './bitmap.ts'
import { DOCUMENT_NUMBERS, FIELD_COUNT, SEGMENT, type SegmentSections } from './format.ts'
import { check, readSections } from './sections.ts'
import type { SegmentDocument, SegmentPassage } from './segment-columns.ts'
import { TermCursor, type TermEntry } from './term-dictionary.ts'

/** Places in the numbers of a document. */
const [ID, NAME, PATH, MEDIA_TYPE, VERSION, TAGS_END] = [0, 1, 2, 3, 4, 5]

/** An immutable file of the passages of one project (format.ts has the layout). */
export class Segment {
  readonly sections: SegmentSections
  readonly postingsView: DataView
  readonly passages: number
  readonly documents: number
  private readonly strings: Buffer
  private readonly cursor: TermCursor

  /**
   * Verifies every checksum, unless that was done before. Throws DocsearchError `index_corrupt` for a damaged file. Keeps views of the bytes, which may
   * be shared.
   */
  constructor(bytes: Uint8Array, options?: { isVerified: boolean }) {
    const sections = readSections(SEGMENT, bytes, options)
    const [passages = -1, documents = -1] = sections.summary
    const blocks = sections.blockStarts.length
    const expected: Partial<Record<keyof SegmentSections, number>> = {
      summary: 2 + FIELD_COUNT,
      lengths: passages * FIELD_COUNT,
      rows: passages,
      passageDocuments: passages,
      passageIndexes: passages,
      passagePages: 2 * passages,
      textHashes: 2 * passages,
      documents: DOCUMENT_NUMBERS * documents,
      documentTimes: documents,
      foldedNameEnds: documents,
      blockLasts: blocks,
      blockMaxFrequencies: blocks * FIELD_COUNT,
      blockMinLengths: blocks * FIELD_COUNT,
    }
    for (const [name, length] of Object.entries(expected))
      check(sections[name as keyof SegmentSections].length === length, `has another length of ${name}`)
    this.sections = sections
    this.passages = passages
    this.documents = documents
    const { postings, strings } = sections
    this.postingsView = new DataView(postings.buffer, postings.byteOffset, postings.length)
    this.strings = Buffer.from(strings.buffer as ArrayBuffer, strings.byteOffset, strings.length)
    this.cursor = new TermCursor(sections)
  }

  /** Returns where the postings of a term are, or null when no passage has it. */
  find(term: Uint8Array): TermEntry | null {
    return this.cursor.find(term)
  }

  /** Returns a cursor before the first term. */
  terms(): TermCursor {
    return new TermCursor(this.sections)
  }

  passage(passage: number): SegmentPassage & { document: number; lengths: Uint16Array } {
    const { rows, passageIndexes, passageDocuments, passagePages, textHashes, lengths } = this.sections
    const hash = (BigInt(textHashes[2 * passage]!) << 32n) | BigInt(textHashes[2 * passage + 1]!)
    return {
      row: rows[passage]!,
      index: passageIndexes[passage]!,
      pageStart: passagePages[2 * passage]!,
      pageEnd: passagePages[2 * passage + 1]!,
      textHash: hash.toString(36),
      document: passageDocuments[passage]!,
      lengths: lengths.subarray(passage * FIELD_COUNT, (passage + 1) * FIELD_COUNT),
    }
  }

  /** Returns a passage as a search finds it. */
  hitOf(passage: number): Omit<PassageHit, 'score'> & { row: bigint } {
    const { document, lengths: _lengths, ...found } = this.passage(passage)
    const [documentId, version] = [this.string(this.numberOf(document, ID)), this.numberOf(document, VERSION)]
    return { id: `${documentId}:${version}:${found.index}`, documentId, version, ...found }
  }

  document(document: number): SegmentDocument {
    const { documentTags, documentTimes } = this.sections
    const tagsStart = document === 0 ? 0 : this.numberOf(document - 1, TAGS_END)
    const tags = documentTags.subarray(tagsStart, this.numberOf(document, TAGS_END))
    return {
      id: this.string(this.numberOf(document, ID)),
      version: this.numberOf(document, VERSION),
      name: this.string(this.numberOf(document, NAME)),
      path: this.string(this.numberOf(document, PATH)),
      mediaType: this.string(this.numberOf(document, MEDIA_TYPE)),
      tags: Array.from(tags, (tag) => this.string(tag)),
      createdAt: new Date(documentTimes[document]!),
    }
  }

  documentId(document: number): string {
    return this.string(this.numberOf(document, ID))
  }

  indexOf(passage: number): number {
    return this.sections.passageIndexes[passage]!
  }

  pathOf(passage: number): string {
    return this.string(this.pathNumber(passage))
  }

  haveSamePath(a: number, b: number): boolean {
    return this.pathNumber(a) === this.pathNumber(b)
  }

  /** Returns the passages of the documents that a filter accepts. */
  passagesOf(accepts: (document: number) => boolean): Bitmap {
    const { passageDocuments } = this.sections
    const accepted = Array.from({ length: this.documents }, (_, document) => accepts(document))
    const bitmap = createBitmap(this.passages)
    for (let passage = 0; passage < this.passages; passage++) if (accepted[passageDocuments[passage]!]) setBit(bitmap, passage)
    return bitmap
  }

  private pathNumber(passage: number): number {
    return this.numberOf(this.sections.passageDocuments[passage]!, PATH)
  }

  private numberOf(document: number, which: number): number {
    return this.sections.documents[DOCUMENT_NUMBERS * document + which]!
  }

  private string(number: number): string {
    const { stringEnds } = this.sections
    return this.strings.toString('utf8', number === 0 ? 0 : stringEnds[number - 1], stringEnds[number])
  }
}
