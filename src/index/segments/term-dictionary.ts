import { ByteWriter, VarintReader } from './bytes.ts'
import { BLOCK_TERMS, FIELD_COUNT, type SegmentSections } from './format.ts'

/** The number of sets of fields, with the empty one. */
export const FIELD_SETS = 2 ** FIELD_COUNT

/** Where the postings of a term are, and how many passages have it. */
export interface TermEntry {
  firstBlock: number
  blocks: number
  /** For each set of fields, the number of passages that have the term in exactly these fields. */
  counts: Uint32Array
}

export class TermDictionaryWriter {
  private readonly terms = new ByteWriter()
  private readonly termBlocks: number[] = []
  private written = 0
  private last: Uint8Array = new Uint8Array()

  /** Appends a term. Terms come in the order of their bytes. */
  add(term: Uint8Array, { firstBlock, blocks, counts }: TermEntry): void {
    let shared = 0
    if (this.written++ % BLOCK_TERMS === 0) {
      this.termBlocks.push(this.terms.length)
      this.terms.varint(firstBlock)
    } else while (shared < term.length && term[shared] === this.last[shared]) shared++
    this.last = term
    this.terms.varint(shared)
    this.terms.varint(term.length - shared)
    this.terms.append(term.subarray(shared))
    this.terms.varint(blocks)
    let sets = 0
    for (let set = 1; set < FIELD_SETS; set++) if (counts[set]! > 0) sets |= 1 << (set - 1)
    this.terms.varint(sets)
    for (let set = 1; set < FIELD_SETS; set++) if (counts[set]! > 0) this.terms.varint(counts[set]!)
  }

  sections(): Pick<SegmentSections, 'terms' | 'termBlocks'> {
    return { terms: this.terms.written(), termBlocks: Uint32Array.from(this.termBlocks) }
  }
}

/** A position in a term dictionary. Each `next` goes to the following term. */
export class TermCursor {
  private readonly reader: VarintReader
  private text = new Uint8Array(64)
  private length = 0
  private ordinal = 0
  private firstBlock = 0
  private blocks = 0
  private sets = 0
  private countsAt = 0
  private readonly termBlocks: Uint32Array

  constructor({ terms, termBlocks }: Pick<SegmentSections, 'terms' | 'termBlocks'>) {
    this.reader = new VarintReader(terms)
    this.termBlocks = termBlocks
  }

  /** Returns the entry of a term, or null. */
  find(term: Uint8Array): TermEntry | null {
    let [low, high] = [0, this.termBlocks.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      this.enter(middle)
      if (this.next() && this.compareTo(term) <= 0) low = middle
      else high = middle - 1
    }
    this.enter(low)
    for (let i = 0; i < BLOCK_TERMS && this.next(); i++) {
      const order = this.compareTo(term)
      if (order === 0) return this.entry()
      if (order > 0) return null
    }
    return null
  }

  /** Goes to the next term. False at the end. */
  next(): boolean {
    const { reader } = this
    if (reader.at >= reader.bytes.length) return false
    this.firstBlock += this.blocks
    if (this.ordinal++ % BLOCK_TERMS === 0) this.firstBlock = reader.next()
    const shared = reader.next()
    const more = reader.next()
    this.length = shared + more
    if (this.length > this.text.length) {
      const grown = new Uint8Array(2 * this.length)
      grown.set(this.text)
      this.text = grown
    }
    for (let i = shared; i < this.length; i++) this.text[i] = reader.bytes[reader.at++]!
    this.blocks = reader.next()
    this.sets = reader.next()
    this.countsAt = reader.at
    for (let sets = this.sets; sets !== 0; sets &= sets - 1) reader.next()
    return true
  }

  /** The bytes of the current term. They change with the next move. */
  term(): Uint8Array {
    return this.text.subarray(0, this.length)
  }

  /** Returns the entry of the current term. */
  entry(): TermEntry {
    const counts = new Uint32Array(FIELD_SETS)
    const reader = new VarintReader(this.reader.bytes)
    reader.at = this.countsAt
    for (let set = 1; set < FIELD_SETS; set++) if ((this.sets >>> (set - 1)) & 1) counts[set] = reader.next()
    return { firstBlock: this.firstBlock, blocks: this.blocks, counts }
  }

  /** Returns a number below, at or above 0, as `Buffer.compare` does with the current term. */
  private compareTo(term: Uint8Array): number {
    const length = Math.min(this.length, term.length)
    for (let i = 0; i < length; i++) if (this.text[i] !== term[i]) return this.text[i]! - term[i]!
    return this.length - term.length
  }

  private enter(block: number): void {
    this.reader.at = this.termBlocks[block] ?? this.reader.bytes.length
    this.ordinal = block * BLOCK_TERMS
  }
}
