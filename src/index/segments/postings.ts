import { bitsOf, ByteWriter, packedBytes, type PackedBytes, unpack, unpackOne, VarintReader } from './bytes.ts'
import {
  BLOCK_POSTINGS,
  FIELD_COUNT,
  MAX_FIELD_LENGTH,
  MAX_SECTION_BYTES,
  NAME_FIELD,
  type SegmentSections,
  UNBOUNDED_FREQUENCY,
} from './format.ts'
import { FIELD_SETS, type Term, TermDictionaryWriter } from './term-dictionary.ts'

/** The passages of a term in ascending order. */
export interface Postings {
  count: number
  passages: Uint32Array
  /** `FIELD_COUNT` frequencies for each passage. */
  frequencies: Uint16Array
  /** For each passage in turn, the places of the term among its terms, in ascending order. The terms of the name have none. */
  places: Uint16Array
}

type PostingsSections = Pick<
  SegmentSections,
  | 'terms'
  | 'termStarts'
  | 'termHashes'
  | 'termBuckets'
  | 'postings'
  | 'blockStarts'
  | 'blockLasts'
  | 'blockMaxFrequencies'
  | 'blockMinLengths'
>

/** Writes terms with their postings. For terms with several blocks, also writes the last passages and bounds by which searches skip blocks. */
export class PostingsWriter {
  private readonly dictionary = new TermDictionaryWriter()
  private readonly postings = new ByteWriter()
  private readonly starts: number[] = []
  private readonly lasts: number[] = []
  private readonly maxFrequencies = new ByteWriter()
  private readonly minLengths: number[] = []
  private readonly lengths: Uint16Array
  private readonly counts = new Uint32Array(FIELD_SETS)
  /** The numbers to pack next. */
  private readonly packed = new Uint32Array(BLOCK_POSTINGS)
  private readonly min = new Uint16Array(FIELD_COUNT)
  private readonly max = new Uint16Array(FIELD_COUNT)

  /** `lengths` has the number of terms in each field of each passage. */
  constructor(lengths: Uint16Array) {
    this.lengths = lengths
  }

  /** Appends a term. Terms come in the order of `compareTerms`. */
  add(term: Term, postings: Postings): void {
    const { counts, dictionary } = this
    const { count, frequencies } = postings
    counts.fill(0)
    for (let i = 0, at = 0; i < count; i++) {
      let fields = 0
      for (let f = 0; f < FIELD_COUNT; f++, at++) if (frequencies[at]! > 0) fields |= 1 << f
      counts[fields]!++
    }
    const blocks = Math.ceil(count / BLOCK_POSTINGS)
    dictionary.add(term, counts, blocks)
    if (blocks === 1) this.writeBlock(dictionary.terms, postings, 0, count, 0)
    else {
      dictionary.terms.varint(this.starts.length)
      for (let from = 0, place = 0; from < count; from += BLOCK_POSTINGS) {
        if (this.postings.length >= MAX_SECTION_BYTES) throw new RangeError('the postings of a segment are too large')
        this.starts.push(this.postings.length)
        const end = Math.min(count, from + BLOCK_POSTINGS)
        place = this.writeBlock(this.postings, postings, from, end, place)
        this.boundBlock(postings.passages, from, end)
      }
    }
  }

  sections(): PostingsSections {
    for (let i = 0; i < 4; i++) this.postings.byte(0)
    return {
      ...this.dictionary.sections(),
      postings: this.postings.written(),
      blockStarts: Uint32Array.from(this.starts),
      blockLasts: Uint32Array.from(this.lasts),
      blockMaxFrequencies: this.maxFrequencies.written(),
      blockMinLengths: Uint16Array.from(this.minLengths),
    }
  }

  /** Writes the postings from `from` up to `end`, whose places start at `firstPlace`. Returns where the places of the next block start. */
  private writeBlock(
    out: ByteWriter,
    { passages, frequencies, places }: Postings,
    from: number,
    end: number,
    firstPlace: number,
  ) {
    const { packed, min, max } = this
    let before = from === 0 ? -1 : passages[from - 1]!
    let maxGap = 0
    for (let i = from; i < end; i++) {
      const gap = passages[i]! - before - 1
      before = passages[i]!
      packed[i - from] = gap
      if (gap > maxGap) maxGap = gap
    }
    min.fill(MAX_FIELD_LENGTH)
    max.fill(0)
    for (let at = from * FIELD_COUNT; at < end * FIELD_COUNT;) {
      for (let f = 0; f < FIELD_COUNT; f++, at++) {
        const frequency = frequencies[at]!
        if (frequency < min[f]!) min[f] = frequency
        if (frequency > max[f]!) max[f] = frequency
      }
    }
    let fields = 0
    for (let f = 0; f < FIELD_COUNT; f++) if (max[f]! > 0) fields |= 1 << f
    out.byte(end - from - 1)
    out.byte(bitsOf(maxGap))
    out.byte(fields)
    out.pack(packed, 0, end - from, bitsOf(maxGap))
    let placesEnd = firstPlace
    for (let f = 0; f < FIELD_COUNT; f++) {
      if (max[f] === 0) continue
      const bits = bitsOf(max[f]! - min[f]!)
      out.byte(bits)
      out.varint(min[f]!)
      for (let i = from; i < end; i++) {
        const frequency = frequencies[i * FIELD_COUNT + f]!
        packed[i - from] = frequency - min[f]!
        if (f !== NAME_FIELD) placesEnd += frequency
      }
      if (bits > 0) out.pack(packed, 0, end - from, bits)
    }
    let maxPlace = 0
    for (let i = firstPlace; i < placesEnd; i++) if (places[i]! > maxPlace) maxPlace = places[i]!
    out.byte(bitsOf(maxPlace))
    out.pack(places, firstPlace, placesEnd, bitsOf(maxPlace))
    return placesEnd
  }

  /** Writes the bounds of the block that was written last: its last passage, highest frequencies and shortest lengths. */
  private boundBlock(passages: Uint32Array, from: number, end: number): void {
    this.lasts.push(passages[end - 1]!)
    for (const frequency of this.max) this.maxFrequencies.byte(Math.min(frequency, UNBOUNDED_FREQUENCY))
    for (let f = 0; f < FIELD_COUNT; f++) {
      let shortest = MAX_FIELD_LENGTH
      for (let i = from; i < end; i++) shortest = Math.min(shortest, this.lengths[passages[i]! * FIELD_COUNT + f]!)
      this.minLengths.push(shortest)
    }
  }
}

/** Decodes blocks of postings. Use one decoder for many terms and segments: allocating its arrays costs more than decoding a short list. */
export class BlockDecoder {
  count = 0
  readonly passages = new Uint32Array(BLOCK_POSTINGS)
  /** The set of fields in which any passage of the block has the term. */
  private fields = 0
  /** For each field: where its frequencies start, how many bits each has, and the lowest frequency. */
  private readonly starts = new Uint32Array(FIELD_COUNT)
  private readonly bits = new Uint8Array(FIELD_COUNT)
  private readonly lowest = new Uint16Array(FIELD_COUNT)
  private placesStart = 0
  private placesBits = 0
  private source!: PackedBytes
  private readonly reader = new VarintReader(new Uint8Array())

  /**
   * Decodes the passages of the block that starts at `at`. Frequencies and places are decoded when they are read. `before` is the term's last
   * passage before the block, or -1.
   */
  enter(source: PackedBytes, at: number, before: number): void {
    const { passages, reader } = this
    this.source = source
    reader.bytes = source.bytes
    reader.at = at
    const count = (this.count = reader.byte() + 1)
    const bits = reader.byte()
    const fields = (this.fields = reader.byte())
    unpack(source.view, reader.at, bits, count, passages)
    reader.at += packedBytes(count, bits)
    for (let i = 0, passage = before; i < count; i++) passage = passages[i] = passage + passages[i]! + 1
    for (let f = 0; f < FIELD_COUNT; f++) {
      if (((fields >>> f) & 1) === 0) continue
      const ofField = (this.bits[f] = reader.byte())
      this.lowest[f] = reader.next()
      this.starts[f] = reader.at
      reader.at += packedBytes(count, ofField)
    }
    this.placesBits = reader.byte()
    this.placesStart = reader.at
  }

  /** Returns the frequency of a posting in a field. */
  frequency(posting: number, field: number): number {
    if (((this.fields >>> field) & 1) === 0) return 0
    return this.lowest[field]! + unpackOne(this.source.view, this.starts[field]!, this.bits[field]!, posting)
  }

  /** Adds `weight` times the frequencies in a field. */
  addFrequencies(field: number, weight: number, sums: Float64Array): void {
    if (((this.fields >>> field) & 1) === 0) return
    const { count } = this
    const [{ view }, at, bits, lowest] = [this.source, this.starts[field]!, this.bits[field]!, this.lowest[field]!]
    if (bits === 0) for (let i = 0; i < count; i++) sums[i]! += weight * lowest
    else for (let i = 0; i < count; i++) sums[i]! += weight * (lowest + unpackOne(view, at, bits, i))
  }

  /** Returns the set of fields in which a posting's passage has the term. */
  fieldsOf(posting: number): number {
    let fields = 0
    for (let f = 0; f < FIELD_COUNT; f++) if (this.frequency(posting, f) > 0) fields |= 1 << f
    return fields
  }

  /** Returns how many places a posting has. */
  countPlaces(posting: number): number {
    let count = 0
    for (let f = 0; f < FIELD_COUNT; f++) if (f !== NAME_FIELD) count += this.frequency(posting, f)
    return count
  }

  /** Returns a place, by its number among all places of the block. */
  place(number: number): number {
    return unpackOne(this.source.view, this.placesStart, this.placesBits, number)
  }
}
