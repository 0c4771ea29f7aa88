import { type Bitmap, createBitmap, setBit } from './bitmap.ts'
import { FIELD_COUNT, SEGMENT, type SegmentSections } from './format.ts'
import { check, readSections } from './sections.ts'
import type { SegmentDocument, SegmentPassage } from './segment-writer.ts'
import { TermCursor, type TermEntry } from './term-dictionary.ts'

/** An immutable file of the passages of one project (format.ts has the layout). */
export class Segment {
  readonly sections: SegmentSections
  readonly postingsView: DataView
  readonly passages: number
  readonly documents: number
  private readonly strings: Buffer
  private readonly cursor: TermCursor

  /** Verifies every checksum. Throws DocsearchError `index_corrupt` for a damaged file. Keeps views of the bytes, which may be shared. */
  constructor(bytes: Uint8Array) {
    const sections = readSections(SEGMENT, bytes)
    const [passages = -1, documents = -1] = sections.summary
    const blocks = sections.blockStarts.length
    const expected: Partial<Record<keyof SegmentSections, number>> = {
      summary: 2 + FIELD_COUNT,
      lengths: passages * FIELD_COUNT,
      rows: passages,
      passageDocuments: passages,
      passageIndexes: passages,
      documents: 4 * documents,
      documentTimes: documents,
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

  passage(passage: number): SegmentPassage & { document: number } {
    const { rows, passageIndexes, passageDocuments, lengths } = this.sections
    return {
      row: rows[passage]!,
      index: passageIndexes[passage]!,
      document: passageDocuments[passage]!,
      lengths: lengths.subarray(passage * FIELD_COUNT, (passage + 1) * FIELD_COUNT),
    }
  }

  document(document: number): SegmentDocument {
    const { documents, documentTags, documentTimes } = this.sections
    const [id, path, mediaType, tagsEnd] = documents.subarray(4 * document, 4 * document + 4)
    const tagsStart = document === 0 ? 0 : documents[4 * document - 1]
    return {
      id: this.string(id!),
      path: this.string(path!),
      mediaType: this.string(mediaType!),
      tags: Array.from(documentTags.subarray(tagsStart, tagsEnd), (tag) => this.string(tag)),
      createdAt: new Date(documentTimes[document]!),
    }
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
    const { documents, passageDocuments } = this.sections
    return documents[4 * passageDocuments[passage]! + 1]!
  }

  private string(number: number): string {
    const { stringEnds } = this.sections
    return this.strings.toString('utf8', number === 0 ? 0 : stringEnds[number - 1], stringEnds[number])
  }
}
