import { foldName } from '../../core/fold-name.ts'
import { hashOf } from './bytes.ts'
import { nameHashOf } from './document-names.ts'
import { FIELD_COUNT, MAX_PASSAGES, type SegmentSections } from './format.ts'

/** What a segment stores about a document. */
export interface SegmentDocument {
  id: string
  version: number
  name: string
  path: string
  mediaType: string
  tags: readonly string[]
  createdAt: Date
  /** Equal for documents with the same title (document-names.ts). */
  titleKey: number
}

/** What a segment stores about a passage, apart from its words. */
export interface SegmentPassage {
  /** Row ID in the table of passages. */
  row: bigint
  /** Index within the document, from 0. */
  index: number
  pageStart: number
  pageEnd: number
  /** Equal for passages with the same text. A segment stores a hash of it, with 64 bits. */
  textHash: string
  /** See `IndexedPassage`. */
  language: number
}

/** The columns of passages, with the number of elements that each passage has in them. */
const PASSAGE_COLUMNS = {
  lengths: FIELD_COUNT,
  rows: 1,
  passageIndexes: 1,
  passagePages: 2,
  textHashes: 2,
  languages: 1,
} as const

type PassageColumns = Pick<SegmentSections, keyof typeof PASSAGE_COLUMNS>

/** Compares documents for sorting in the order of a segment: by path, then by time of creation, then by ID. */
export function compareDocuments(a: SegmentDocument, b: SegmentDocument): number {
  return compare(a.path, b.path) || a.createdAt.getTime() - b.createdAt.getTime() || compare(a.id, b.id)
}

/** Writes the columns of documents and passages. */
export class ColumnsWriter {
  readonly passages: PassageColumns
  private readonly count: number
  private readonly passageDocuments: Uint32Array
  private numbered = 0
  private readonly documents: number[] = []
  private readonly tags: number[] = []
  private readonly times: number[] = []
  private readonly strings = new Map<string, number>()
  private readonly foldedNames: Buffer[] = []
  private readonly idHashes: number[] = []
  private readonly nameHashes: number[] = []
  private readonly titleKeys: number[] = []

  constructor(passages: number) {
    if (passages > MAX_PASSAGES) throw new RangeError(`a segment cannot have ${passages} passages`)
    this.count = passages
    this.passageDocuments = new Uint32Array(passages)
    this.passages = {
      lengths: new Uint16Array(passages * PASSAGE_COLUMNS.lengths),
      rows: new BigUint64Array(passages),
      passageIndexes: new Uint32Array(passages),
      passagePages: new Uint32Array(passages * PASSAGE_COLUMNS.passagePages),
      textHashes: new Uint32Array(passages * PASSAGE_COLUMNS.textHashes),
      languages: new Uint8Array(passages),
    }
  }

  /** Adds the next document in the order of `compareDocuments`, and gives it the next `passages` passages. */
  addDocument({ id, version, name, path, mediaType, tags, createdAt, titleKey }: SegmentDocument, passages: number): void {
    this.passageDocuments.fill(this.times.length, this.numbered, (this.numbered += passages))
    for (const tag of tags) this.tags.push(this.stringOf(tag))
    const strings = [id, name, path, mediaType].map((text) => this.stringOf(text))
    this.documents.push(...strings, version, this.tags.length, this.numbered)
    this.idHashes.push(hashOf(Buffer.from(id)))
    this.times.push(createdAt.getTime())
    this.foldedNames.push(Buffer.from(foldName(name)))
    this.nameHashes.push(nameHashOf(name))
    this.titleKeys.push(titleKey)
  }

  setPassage(number: number, { row, index, pageStart, pageEnd, textHash, language }: SegmentPassage): void {
    const { rows, passageIndexes, passagePages, textHashes, languages } = this.passages
    rows[number] = row
    passageIndexes[number] = index
    passagePages[2 * number] = pageStart
    passagePages[2 * number + 1] = pageEnd
    languages[number] = language
    const bytes = Buffer.from(textHash)
    textHashes[2 * number] = hashOf(bytes)
    textHashes[2 * number + 1] = hashOf(bytes, 0, bytes.length, textHashes[2 * number])
  }

  /** Copies passages of another segment. `numbers` has the new number of each passage, or `DELETED` (merge.ts) for a passage to skip. */
  copyPassages(from: PassageColumns, numbers: Uint32Array): void {
    for (const [name, width] of Object.entries(PASSAGE_COLUMNS)) {
      const [source, target] = [from[name as keyof PassageColumns], this.passages[name as keyof PassageColumns]]
      for (let passage = 0; passage < numbers.length; passage++) {
        const number = numbers[passage]!
        if (number > MAX_PASSAGES) continue
        for (let i = 0; i < width; i++) target[number * width + i] = source[passage * width + i]!
      }
    }
  }

  sections() {
    const { lengths } = this.passages
    const summary = Float64Array.of(this.count, this.times.length, ...new Array<number>(FIELD_COUNT).fill(0))
    for (let i = 0; i < lengths.length; i++) summary[2 + (i % FIELD_COUNT)]! += lengths[i]!
    const [strings, stringEnds] = joined([...this.strings.keys()].map((text) => Buffer.from(text)))
    const [foldedNames, foldedNameEnds] = joined(this.foldedNames)
    const documentsByHash = orderOf(this.idHashes)
    const documentsByName = orderOf(this.nameHashes)
    return {
      ...this.passages,
      summary,
      passageDocuments: this.passageDocuments,
      documents: Uint32Array.from(this.documents),
      documentTags: Uint32Array.from(this.tags),
      documentTimes: Float64Array.from(this.times),
      strings,
      stringEnds,
      foldedNames,
      foldedNameEnds,
      documentsByHash,
      idHashes: documentsByHash.map((document) => this.idHashes[document]!),
      documentsByName,
      nameHashes: documentsByName.map((document) => this.nameHashes[document]!),
      titleKeys: Uint32Array.from(this.titleKeys),
      documentsByTitle: orderOf(this.titleKeys),
    }
  }

  private stringOf(text: string): number {
    const wellFormed = text.toWellFormed()
    const number = this.strings.get(wellFormed) ?? this.strings.size
    this.strings.set(wellFormed, number)
    return number
  }
}

/** Returns the documents in ascending order of their keys. */
function orderOf(keys: readonly number[]): Uint32Array {
  return Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b)
}

function joined(texts: readonly Buffer[]): [bytes: Uint8Array, ends: Uint32Array] {
  let end = 0
  return [new Uint8Array(Buffer.concat(texts)), Uint32Array.from(texts, (text) => (end += text.length))]
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
