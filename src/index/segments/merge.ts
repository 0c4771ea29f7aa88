import { grown } from './bytes.ts'
import { FIELD_COUNT, SEGMENT } from './format.ts'
import { BlockDecoder, type Postings, PostingsWriter } from './postings.ts'
import { writeSections } from './sections.ts'
import { ColumnsWriter, compareDocuments, type SegmentDocument } from './segment-columns.ts'
import type { SegmentReader } from './segment-reader.ts'
import type { Segment } from './segment.ts'
import { compareTerms, type Term, type TermEntry } from './term-dictionary.ts'

/** Stands for the new number of a passage that was deleted and is therefore not in the merged segment. */
export const DELETED = 2 ** 32 - 1

/** A segment to merge, with its next term. `numbers` has the new number of each passage, or DELETED. */
class Source {
  readonly term: Term = { bytes: new Uint8Array(), start: 0, end: 0, hash: 0 }
  readonly segment: Segment
  readonly numbers: Uint32Array
  hasTerm = true
  private next = 0

  constructor(segment: Segment, numbers: Uint32Array) {
    this.segment = segment
    this.numbers = numbers
    this.advance()
  }

  /** Goes to the next term. */
  advance(): void {
    this.hasTerm = this.next < this.segment.sections.termHashes.length
    if (this.hasTerm) this.segment.terms.readTerm(this.next++, this.term)
  }
}

export interface MergedSegment {
  bytes: Uint8Array
  /** For each merged segment, the new number of each passage by its old number, or DELETED. */
  numbers: Uint32Array[]
}

/** Merges the passages that are not deleted into one segment. A `SegmentBuilder` would make the same bytes of these passages. */
export function mergeSegments(readers: readonly SegmentReader[]): MergedSegment {
  const { columns, numbers } = mergeColumns(readers)
  const writer = new PostingsWriter(columns.passages.lengths)
  const sources = readers.map(({ segment }, i) => new Source(segment, numbers[i]!))
  const gathered = new GatheredPostings()
  for (let first = leastOf(sources); first !== null; first = leastOf(sources)) {
    const term = { ...first.term }
    gathered.clear()
    for (const source of sources) {
      if (!source.hasTerm || compareTerms(source.term, term) !== 0) continue
      gathered.addFrom(source)
      source.advance()
    }
    const postings = gathered.sorted()
    if (postings.count > 0) writer.add(term, postings)
  }
  return { bytes: writeSections(SEGMENT, { ...columns.sections(), ...writer.sections() }), numbers }
}

/** Returns a source whose next term comes first in the order of the dictionary, or null at the end of all sources. */
function leastOf(sources: readonly Source[]): Source | null {
  let least: Source | null = null
  for (const source of sources)
    if (source.hasTerm && (least === null || compareTerms(source.term, least.term) < 0)) least = source
  return least
}

/** Orders the documents that have passages left, and numbers these passages. */
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

const INSERTION_SORT_MAX = 16

/** Collects the postings of one term from several segments, under the new numbers of the passages. */
class GatheredPostings {
  private readonly entry: TermEntry = { blocks: 0, first: 0 }
  private readonly decoder = new BlockDecoder()
  private sources = 0
  private count = 0
  private passages = new Uint32Array(1024)
  private frequencies = new Uint16Array(1024 * FIELD_COUNT)
  private places = new Uint16Array(1024)
  /** Where the places of each passage end. */
  private placesEnds = new Uint32Array(1024)
  private keys = new Float64Array(1024)

  clear(): void {
    this.count = this.sources = 0
  }

  addFrom({ segment, term, numbers }: Source): void {
    const { entry, decoder } = this
    segment.terms.readEntry(term.end, entry)
    this.sources++
    for (let block = 0; block < entry.blocks; block++) {
      segment.enterBlock(entry, block, decoder)
      this.addBlock(numbers)
    }
  }

  /** Returns the postings in ascending order of passages. Postings of a single segment are in this order already. */
  sorted(): Postings {
    const { count, passages, frequencies, places, placesEnds } = this
    if (this.sources < 2) return { count, passages, frequencies, places }
    const keys = this.sortedKeys()
    const sorted = {
      count,
      passages: new Uint32Array(count),
      frequencies: new Uint16Array(count * FIELD_COUNT),
      places: new Uint16Array(count === 0 ? 0 : placesEnds[count - 1]!),
    }
    for (let to = 0, end = 0; to < count; to++) {
      const from = keys[to]! % 2 ** 26
      sorted.passages[to] = passages[from]!
      for (let f = 0; f < FIELD_COUNT; f++) sorted.frequencies[to * FIELD_COUNT + f] = frequencies[from * FIELD_COUNT + f]!
      for (let i = from === 0 ? 0 : placesEnds[from - 1]!; i < placesEnds[from]!; i++) sorted.places[end++] = places[i]!
    }
    return sorted
  }

  /** Returns one number for each posting, in ascending order of passages. It combines the passage with the index of the posting. */
  private sortedKeys(): Float64Array {
    const { count, passages } = this
    if (count > this.keys.length) this.keys = new Float64Array(2 * count)
    const keys = this.keys.subarray(0, count)
    for (let i = 0; i < count; i++) keys[i] = passages[i]! * 2 ** 26 + i
    if (count > INSERTION_SORT_MAX) return keys.sort()
    // Most terms have few postings. For them, calling `sort` costs more than this insertion sort.
    for (let i = 1; i < count; i++) {
      const key = keys[i]!
      let at = i
      for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!
      keys[at] = key
    }
    return keys
  }

  /** Adds the decoded block. */
  private addBlock(numbers: Uint32Array): void {
    const { decoder } = this
    for (let i = 0, placesStart = 0, placesEnd = 0; i < decoder.count; i++, placesStart = placesEnd) {
      placesEnd += decoder.countPlaces(i)
      const passage = numbers[decoder.passages[i]!]!
      if (passage === DELETED) continue
      const end = this.count === 0 ? 0 : this.placesEnds[this.count - 1]!
      this.reserve(end + placesEnd - placesStart)
      this.passages[this.count] = passage
      for (let f = 0; f < FIELD_COUNT; f++) this.frequencies[this.count * FIELD_COUNT + f] = decoder.frequency(i, f)
      for (let place = placesStart; place < placesEnd; place++) this.places[end + place - placesStart] = decoder.place(place)
      this.placesEnds[this.count++] = end + placesEnd - placesStart
    }
  }

  /** Makes room for one more posting and for places up to `placesEnd`. */
  private reserve(placesEnd: number): void {
    if (placesEnd > this.places.length) this.places = grown(this.places, 2 * placesEnd)
    if (this.count < this.passages.length) return
    this.passages = grown(this.passages, 2 * this.count)
    this.placesEnds = grown(this.placesEnds, 2 * this.count)
    this.frequencies = grown(this.frequencies, 2 * this.count * FIELD_COUNT)
  }
}
