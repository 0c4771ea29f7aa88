import { bitsOf, ByteWriter, packedBytes, unpack, unpackOne, VarintReader } from './bytes.ts'
import { BLOCK_POSTINGS, FIELD_COUNT, MAX_FIELD_LENGTH, UNBOUNDED_FREQUENCY, type SegmentSections } from './format.ts'
import { FIELD_SETS, type TermEntry } from './term-dictionary.ts'

/** A block's start is 32 bits. */
const MAX_POSTINGS_BYTES = 2 ** 32

/** The passages of a term in ascending order, each with `FIELD_COUNT` frequencies. */
export interface Postings {
  count: number
  passages: Uint32Array
  frequencies: Uint16Array
}

type BlockSections = Pick<SegmentSections, 'postings' | 'blockStarts' | 'blockLasts' | 'blockMaxFrequencies' | 'blockMinLengths'>

export interface PostingsSource {
  sections: BlockSections
  /** The bytes of `postings`. */
  postingsView: DataView
}

/** Writes the postings of all terms, and what skips and bounds their blocks. */
export class PostingsWriter {
  private readonly postings = new ByteWriter()
  private readonly starts: number[] = []
  private readonly lasts: number[] = []
  private readonly maxFrequencies = new ByteWriter()
  private readonly minLengths: number[] = []
  private readonly lengths: Uint16Array

  constructor(lengths: Uint16Array) {
    this.lengths = lengths
  }

  /** Appends the postings of one term. */
  add(postings: Postings): TermEntry {
    const counts = new Uint32Array(FIELD_SETS)
    const firstBlock = this.starts.length
    for (let from = 0; from < postings.count; from += BLOCK_POSTINGS) this.addBlock(postings, from, counts)
    return { firstBlock, blocks: this.starts.length - firstBlock, counts }
  }

  sections(): BlockSections {
    this.postings.append(new Uint8Array(4))
    return {
      postings: this.postings.written(),
      blockStarts: Uint32Array.from(this.starts),
      blockLasts: Uint32Array.from(this.lasts),
      blockMaxFrequencies: this.maxFrequencies.written(),
      blockMinLengths: Uint16Array.from(this.minLengths),
    }
  }

  private addBlock({ count, passages, frequencies }: Postings, from: number, counts: Uint32Array): void {
    const end = Math.min(count, from + BLOCK_POSTINGS)
    const gaps: number[] = []
    const min = new Array<number>(FIELD_COUNT).fill(MAX_FIELD_LENGTH)
    const max = new Array<number>(FIELD_COUNT).fill(0)
    const minLength = new Array<number>(FIELD_COUNT).fill(MAX_FIELD_LENGTH)
    let before = from === 0 ? -1 : passages[from - 1]!
    for (let i = from; i < end; i++) {
      const passage = passages[i]!
      gaps.push(passage - before - 1)
      before = passage
      let fields = 0
      for (let f = 0; f < FIELD_COUNT; f++) {
        const frequency = frequencies[i * FIELD_COUNT + f]!
        const length = this.lengths[passage * FIELD_COUNT + f]!
        if (frequency > 0) fields |= 1 << f
        if (frequency < min[f]!) min[f] = frequency
        if (frequency > max[f]!) max[f] = frequency
        if (length < minLength[f]!) minLength[f] = length
      }
      counts[fields]!++
    }
    if (this.postings.length >= MAX_POSTINGS_BYTES) throw new RangeError('the postings of a segment are too large')
    this.starts.push(this.postings.length)
    this.lasts.push(before)
    for (const frequency of max) this.maxFrequencies.byte(Math.min(frequency, UNBOUNDED_FREQUENCY))
    this.minLengths.push(...minLength)

    const fields = [...max.keys()].filter((f) => max[f]! > 0)
    const gapBits = bitsOf(Math.max(...gaps))
    this.postings.byte(end - from - 1)
    this.postings.byte(gapBits)
    this.postings.byte(fields.reduce((set, f) => set | (1 << f), 0))
    this.postings.pack(gaps, gapBits)
    for (const f of fields) {
      this.postings.byte(bitsOf(max[f]! - min[f]!))
      this.postings.varint(min[f]!)
      const above = gaps.map((_, i) => frequencies[(from + i) * FIELD_COUNT + f]! - min[f]!)
      this.postings.pack(above, bitsOf(max[f]! - min[f]!))
    }
  }
}

/** Where the frequencies of one field are in a block. */
interface FieldFrequencies {
  at: number
  bits: number
  min: number
}

/** Decodes the postings of one term, block by block. */
export class BlockDecoder {
  count = 0
  readonly passages = new Uint32Array(BLOCK_POSTINGS)
  /** The fields in which a passage of the block has the term, as a set. */
  fields = 0
  private readonly ofFields = Array.from({ length: FIELD_COUNT }, (): FieldFrequencies => ({ at: 0, bits: 0, min: 0 }))
  private sections!: BlockSections
  private view!: DataView
  private reader!: VarintReader
  private firstBlock = 0

  /** Goes to another term. A decoder is used for many terms and segments, because its arrays cost more than a short list of postings. */
  open({ sections, postingsView }: PostingsSource, { firstBlock }: TermEntry): void {
    this.sections = sections
    this.view = postingsView
    this.reader = new VarintReader(sections.postings)
    this.firstBlock = firstBlock
  }

  /** Decodes the passages of a block. Frequencies are decoded when they are read. */
  enter(block: number): void {
    const { passages, reader } = this
    const { blockStarts, blockLasts } = this.sections
    reader.at = blockStarts[block]!
    const count = (this.count = reader.byte() + 1)
    const bits = reader.byte()
    this.fields = reader.byte()
    unpack(this.view, reader.at, bits, count, passages)
    reader.at += packedBytes(count, bits)
    let before = block === this.firstBlock ? -1 : blockLasts[block - 1]!
    for (let i = 0; i < count; i++) before = passages[i] = before + passages[i]! + 1
    for (let f = 0; f < FIELD_COUNT; f++) {
      if (!this.hasField(f)) continue
      const ofField = this.ofFields[f]!
      ofField.bits = reader.byte()
      ofField.min = reader.next()
      ofField.at = reader.at
      reader.at += packedBytes(count, ofField.bits)
    }
  }

  hasField(field: number): boolean {
    return ((this.fields >>> field) & 1) === 1
  }

  /** Returns the frequency of a posting in a field. */
  frequency(posting: number, field: number): number {
    if (!this.hasField(field)) return 0
    const { at, bits, min } = this.ofFields[field]!
    return min + unpackOne(this.view, at, bits, posting)
  }

  /** Adds `weight` times the frequencies in a field that the block has. */
  addFrequencies(field: number, weight: number, sums: Float64Array): void {
    const { view, count } = this
    const { at, bits, min } = this.ofFields[field]!
    if (bits === 0) for (let i = 0; i < count; i++) sums[i]! += weight * min
    else for (let i = 0; i < count; i++) sums[i]! += weight * (min + unpackOne(view, at, bits, i))
  }

  /** Returns the set of fields in which a posting's passage has the term. */
  fieldsOf(posting: number): number {
    let fields = 0
    for (let f = 0; f < FIELD_COUNT; f++) if (this.frequency(posting, f) > 0) fields |= 1 << f
    return fields
  }
}
