import { foldName } from '../../core/fold-name.ts'
import { hashOf, type PackedBytes } from './bytes.ts'
import { stemOf } from './document-names.ts'
import { DOCUMENT_NUMBERS, FIELD_COUNT, SEGMENT, type SegmentSections } from './format.ts'
import { lowerBound } from './lower-bound.ts'
import { isPaged, type PagedBytes, type PagedFile } from './paged-file.ts'
import { check, openSections, readSections } from './sections.ts'
import type { SegmentDocument, SegmentPassage } from './segment-columns.ts'
import type { BlockDecoder } from './postings.ts'
import { bucketBits, TermDictionary, type TermEntry } from './term-dictionary.ts'

/** Where each property is among the numbers of a document in `documents`. */
const [ID, NAME, PATH, MEDIA_TYPE, VERSION, TAGS_END, PASSAGES_END] = [0, 1, 2, 3, 4, 5, 6]

/** An immutable file with the words and columns of some passages of one project (format.ts describes the layout). */
export class Segment {
  readonly sections: SegmentSections
  readonly terms: TermDictionary
  readonly passages: number
  readonly documents: number
  private readonly strings: Buffer
  private readonly onlyBlocks: PackedBytes
  private readonly blocks: PackedBytes
  /** Null while the postings are in memory. */
  private readonly pagedBlocks: PagedBytes | null

  /**
   * Verifies every checksum, unless `isVerified` says that this was done before. Throws DocsearchError `index_corrupt` for a damaged file. Keeps
   * views of the bytes, which threads may share. Of a paged file, `sections.postings` is empty, and the postings are read block by block.
   */
  constructor(file: Uint8Array | PagedFile, options?: { isVerified: boolean }) {
    const { sections, paged } = isPaged(file)
      ? openSections(SEGMENT, file)
      : { sections: readSections(SEGMENT, file, options), paged: null }
    const [passages = -1, documents = -1] = sections.summary
    const [blocks, terms] = [sections.blockStarts.length, sections.termHashes.length]
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
      idHashes: documents,
      documentsByHash: documents,
      nameHashes: documents,
      documentsByName: documents,
      titleKeys: documents,
      documentsByTitle: documents,
      termStarts: terms,
      termBuckets: 2 ** bucketBits(terms) + 1,
      blockLasts: blocks,
      blockMaxFrequencies: blocks * FIELD_COUNT,
      blockMinLengths: blocks * FIELD_COUNT,
    }
    for (const [name, length] of Object.entries(expected))
      check(sections[name as keyof SegmentSections].length === length, `has the wrong number of elements in its section ${name}`)
    this.sections = sections
    this.passages = passages
    this.documents = documents
    this.strings = Buffer.from(sections.strings.buffer as ArrayBuffer, sections.strings.byteOffset, sections.strings.length)
    this.terms = new TermDictionary(sections)
    this.onlyBlocks = packedBytes(sections.terms)
    this.blocks = packedBytes(sections.postings)
    this.pagedBlocks = paged?.postings ?? null
  }

  /** Decodes one of the blocks of a term's postings, counted from 0. No other method reads postings. */
  enterBlock({ blocks, first }: TermEntry, block: number, decoder: BlockDecoder): void {
    const { blockStarts, blockLasts } = this.sections
    if (blocks === 1) return decoder.enter(this.onlyBlocks, first, -1)
    const before = block === 0 ? -1 : blockLasts[first + block - 1]!
    const start = blockStarts[first + block]!
    if (this.pagedBlocks === null) return decoder.enter(this.blocks, start, before)
    // The decoder keeps the bytes, and reads up to four bytes past the end.
    const end = blockStarts[first + block + 1] ?? this.pagedBlocks.length
    decoder.enter(packedBytes(this.pagedBlocks.copy(start, end + 4)), 0, before)
  }

  passage(passage: number): SegmentPassage & { document: number; lengths: Uint16Array } {
    const { rows, passageIndexes, passageDocuments, passagePages, textHashes, languages, lengths } = this.sections
    const hash = (BigInt(textHashes[2 * passage]!) << 32n) | BigInt(textHashes[2 * passage + 1]!)
    return {
      row: rows[passage]!,
      index: passageIndexes[passage]!,
      pageStart: passagePages[2 * passage]!,
      pageEnd: passagePages[2 * passage + 1]!,
      textHash: hash.toString(36),
      language: languages[passage]!,
      document: passageDocuments[passage]!,
      lengths: lengths.subarray(passage * FIELD_COUNT, (passage + 1) * FIELD_COUNT),
    }
  }

  document(document: number): SegmentDocument {
    return {
      id: this.string(this.numberOf(document, ID)),
      version: this.numberOf(document, VERSION),
      name: this.string(this.numberOf(document, NAME)),
      path: this.path(document),
      mediaType: this.string(this.numberOf(document, MEDIA_TYPE)),
      tags: Array.from(this.tagNumbers(document), (tag) => this.string(tag)),
      createdAt: new Date(this.sections.documentTimes[document]!),
      titleKey: this.sections.titleKeys[document]!,
    }
  }

  documentId(document: number): string {
    return this.string(this.numberOf(document, ID))
  }

  versionOf(document: number): number {
    return this.numberOf(document, VERSION)
  }

  /** Returns the documents with an ID. There may be several: earlier versions stay in the segment while their passages are only deleted. */
  documentsWithId(id: string): number[] {
    const { idHashes, documentsByHash } = this.sections
    const hash = hashOf(Buffer.from(id))
    const found: number[] = []
    for (let at = lowerBound(this.documents, (i) => idHashes[i]! >= hash); idHashes[at] === hash; at++)
      if (this.string(this.numberOf(documentsByHash[at]!, ID)) === id) found.push(documentsByHash[at]!)
    return found
  }

  /** Returns at most `max` documents with a name, with or without its extension, in any letter case. */
  documentsNamed(name: string, max: number): number[] {
    const wanted = foldName(name)
    const { nameHashes, documentsByName } = this.sections
    const found: number[] = []
    for (const hash of new Set([hashOf(Buffer.from(wanted)), hashOf(Buffer.from(stemOf(wanted)))])) {
      for (
        let at = lowerBound(this.documents, (i) => nameHashes[i]! >= hash);
        nameHashes[at] === hash && found.length < max;
        at++
      ) {
        const document = documentsByName[at]!
        const folded = foldName(this.string(this.numberOf(document, NAME)))
        if (folded === wanted || stemOf(folded) === wanted) found.push(document)
      }
    }
    return found
  }

  /** Yields the documents whose title has a key. */
  *documentsTitled(titleKey: number): Generator<number> {
    const { titleKeys, documentsByTitle } = this.sections
    const first = lowerBound(this.documents, (i) => titleKeys[documentsByTitle[i]!]! >= titleKey)
    for (let at = first; at < this.documents && titleKeys[documentsByTitle[at]!] === titleKey; at++) yield documentsByTitle[at]!
  }

  /** Returns the first of a document's passages, and the end of its passages. */
  passagesOf(document: number): { start: number; end: number } {
    const start = document === 0 ? 0 : this.numberOf(document - 1, PASSAGES_END)
    return { start, end: this.numberOf(document, PASSAGES_END) }
  }

  path(document: number): string {
    return this.string(this.numberOf(document, PATH))
  }

  /** Returns the number of the string with a document's media type. */
  mediaTypeNumber(document: number): number {
    return this.numberOf(document, MEDIA_TYPE)
  }

  /** Returns the numbers of the strings with a document's tags. */
  tagNumbers(document: number): Uint32Array {
    const start = document === 0 ? 0 : this.numberOf(document - 1, TAGS_END)
    return this.sections.documentTags.subarray(start, this.numberOf(document, TAGS_END))
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

  string(number: number): string {
    const { stringEnds } = this.sections
    return this.strings.toString('utf8', number === 0 ? 0 : stringEnds[number - 1], stringEnds[number])
  }

  private pathNumber(passage: number): number {
    return this.numberOf(this.sections.passageDocuments[passage]!, PATH)
  }

  private numberOf(document: number, which: number): number {
    return this.sections.documents[DOCUMENT_NUMBERS * document + which]!
  }
}

function packedBytes(bytes: Uint8Array): PackedBytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) }
}
