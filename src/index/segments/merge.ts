import { FIELD_COUNT } from './format.ts'
import { BlockDecoder, type Postings } from './postings.ts'
import type { SegmentReader } from './segment-reader.ts'
import { ColumnsWriter, compareDocuments, type SegmentDocument } from './segment-columns.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { TermCursor } from './term-dictionary.ts'

/** The new number of a passage that is not in the merged segment. */
export const DELETED = 2 ** 32 - 1

/** A segment to merge: a cursor at its next term, and the new number of each passage or DELETED. */
interface Source {
  reader: SegmentReader
  terms: TermCursor
  hasTerm: boolean
  numbers: Uint32Array
}

export interface MergedSegment {
  bytes: Uint8Array
  /** For each reader: by the old number of a passage, its new one, or DELETED. */
  numbers: Uint32Array[]
}

/** Returns the segment of the passages that are not deleted, the same bytes that a `SegmentBuilder` makes of them. */
export function mergeSegments(readers: readonly SegmentReader[]): MergedSegment {
  const { columns, numbers } = mergeColumns(readers)
  const writer = new SegmentWriter(columns)
  const sources = readers.map((reader, i): Source => {
    const terms = reader.segment.terms()
    return { reader, terms, hasTerm: terms.next(), numbers: numbers[i]! }
  })
  const gathered = new GatheredPostings()
  for (;;) {
    const first = sources.reduce<Source | null>((least, source) => (isBefore(source, least) ? source : least), null)
    if (first === null) return { bytes: writer.finish(), numbers }
    const term = first.terms.term().slice()
    gathered.clear()
    for (const source of sources) {
      if (!source.hasTerm || Buffer.compare(source.terms.term(), term) !== 0) continue
      gathered.addFrom(source)
      source.hasTerm = source.terms.next()
    }
    const postings = gathered.sorted()
    if (postings.count > 0) writer.addTerm(term, postings)
  }
}

function isBefore(source: Source, other: Source | null): boolean {
  return source.hasTerm && (other === null || Buffer.compare(source.terms.term(), other.terms.term()) < 0)
}

/** Puts the documents with passages that are not deleted in order, and numbers these passages. */
function mergeColumns(readers: readonly SegmentReader[]): { columns: ColumnsWriter; numbers: Uint32Array[] } {
  const numbers = readers.map(({ segment }) => new Uint32Array(segment.passages).fill(DELETED))
  const documents: (SegmentDocument & { source: number; live: number[] })[] = []
  for (const [source, { segment, deletions }] of readers.entries()) {
    const { passageDocuments } = segment.sections
    let last = -1
    for (let passage = 0; passage < segment.passages; passage++) {
      if (deletions.has(passage)) continue
      const document = passageDocuments[passage]!
      if (document !== last) documents.push({ ...segment.document(document), source, live: [] })
      last = document
      documents.at(-1)!.live.push(passage)
    }
  }
  documents.sort(compareDocuments)
  const columns = new ColumnsWriter(documents.reduce((sum, { live }) => sum + live.length, 0))
  let next = 0
  for (const { source, live, ...document } of documents) {
    columns.addDocument(document, live.length)
    for (const passage of live) numbers[source]![passage] = next++
  }
  for (const [source, { segment }] of readers.entries()) columns.copyPassages(segment.sections, numbers[source]!)
  return { columns, numbers }
}

/** The postings of one term from several segments, by their new passage numbers. */
class GatheredPostings {
  private count = 0
  private sources = 0
  private passages = new Uint32Array(1024)
  private frequencies = new Uint16Array(1024 * FIELD_COUNT)
  private readonly decoder = new BlockDecoder()

  clear(): void {
    this.count = this.sources = 0
  }

  addFrom({ reader, terms, numbers }: Source): void {
    const entry = terms.entry()
    const { decoder } = this
    decoder.open(reader.segment, entry)
    this.sources++
    for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block++) {
      decoder.enter(block)
      this.reserve(decoder.count)
      for (let i = 0; i < decoder.count; i++) {
        const passage = numbers[decoder.passages[i]!]!
        if (passage === DELETED) continue
        this.passages[this.count] = passage
        for (let f = 0; f < FIELD_COUNT; f++) this.frequencies[this.count * FIELD_COUNT + f] = decoder.frequency(i, f)
        this.count++
      }
    }
  }

  /** Returns the postings in ascending order of passages. The postings that come from one segment are in order already. */
  sorted(): Postings {
    const { count, passages, frequencies } = this
    if (this.sources < 2) return { count, passages, frequencies }
    // One number for a passage and its place sorts faster than a comparison function.
    const keys = Float64Array.from({ length: count }, (_, i) => passages[i]! * 2 ** 26 + i).sort()
    const sorted: Postings = { count, passages: new Uint32Array(count), frequencies: new Uint16Array(count * FIELD_COUNT) }
    for (const [to, key] of keys.entries()) {
      const from = key % 2 ** 26
      sorted.passages[to] = passages[from]!
      for (let f = 0; f < FIELD_COUNT; f++) sorted.frequencies[to * FIELD_COUNT + f] = frequencies[from * FIELD_COUNT + f]!
    }
    return sorted
  }

  private reserve(more: number): void {
    if (this.count + more <= this.passages.length) return
    const [passages, frequencies] = [this.passages, this.frequencies]
    this.passages = new Uint32Array(2 * passages.length + more)
    this.frequencies = new Uint16Array(this.passages.length * FIELD_COUNT)
    this.passages.set(passages)
    this.frequencies.set(frequencies)
  }
}
