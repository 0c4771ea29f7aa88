import { bitsOf, ByteWriter, hashOf, VarintReader } from './bytes.ts'
import { FIELD_COUNT, MAX_SECTION_BYTES, type SegmentSections } from './format.ts'

/** The number of sets of fields, including the empty set. */
export const FIELD_SETS = 2 ** FIELD_COUNT

type DictionarySections = Pick<SegmentSections, 'terms' | 'termStarts' | 'termHashes' | 'termBuckets'>

/** A term: its UTF-8 bytes from `start` up to `end`, and their hash. */
export interface Term {
  bytes: Uint8Array
  start: number
  end: number
  hash: number
}

export function termOf(text: string): Term {
  const bytes = Buffer.from(text)
  return { bytes, start: 0, end: bytes.length, hash: hashOf(bytes) }
}

/** Where the postings of a term are. */
export interface TermEntry {
  blocks: number
  /** For a single block, where it starts in `terms`. Otherwise, the number of the first block in `postings`. */
  first: number
}

/** Compares terms for sorting in the order of a dictionary: by hash, then by bytes. */
export function compareTerms(a: Term, b: Term): number {
  if (a.hash !== b.hash) return a.hash - b.hash
  return Buffer.compare(a.bytes.subarray(a.start, a.end), b.bytes.subarray(b.start, b.end))
}

/** Returns how many bits at the start of a hash choose the bucket of a term. With this many, a bucket has about one term. */
export function bucketBits(terms: number): number {
  return Math.max(1, bitsOf(terms))
}

/** Writes the terms of a segment. After `add`, the caller appends the term's only block of postings to `terms`, or the number of its first block. */
export class TermDictionaryWriter {
  readonly terms = new ByteWriter()
  private readonly starts: number[] = []
  private readonly hashes: number[] = []

  /** Appends a term, with the number of passages that have it in each set of fields. Terms come in the order of `compareTerms`. */
  add({ bytes, start, end, hash }: Term, counts: Uint32Array, blocks: number): void {
    const { terms } = this
    if (terms.length >= MAX_SECTION_BYTES) throw new RangeError('the terms of a segment are too large')
    this.starts.push(terms.length)
    this.hashes.push(hash)
    terms.varint(end - start)
    terms.append(bytes, start, end)
    let sets = 0
    for (let set = 1; set < FIELD_SETS; set++) if (counts[set]! > 0) sets |= 1 << (set - 1)
    terms.varint(sets)
    for (let set = 1; set < FIELD_SETS; set++) if (counts[set]! > 0) terms.varint(counts[set]!)
    terms.varint(blocks)
  }

  sections(): DictionarySections {
    const bits = bucketBits(this.starts.length)
    const termBuckets = new Uint32Array(2 ** bits + 1)
    for (const hash of this.hashes) termBuckets[(hash >>> (32 - bits)) + 1]!++
    for (let bucket = 0; bucket < 2 ** bits; bucket++) termBuckets[bucket + 1]! += termBuckets[bucket]!
    for (let i = 0; i < 4; i++) this.terms.byte(0)
    return {
      terms: this.terms.written(),
      termStarts: Uint32Array.from(this.starts),
      termHashes: Uint32Array.from(this.hashes),
      termBuckets,
    }
  }
}

/**
 * The terms of a segment as a hash table. The place of a term is where its counts start in `terms`, just after its bytes. A place is a plain
 * number, because a search over a thousand segments looks up thousands of terms.
 */
export class TermDictionary {
  private readonly sections: DictionarySections
  private readonly shift: number
  private readonly reader: VarintReader

  constructor(sections: DictionarySections) {
    this.sections = sections
    this.shift = 32 - bucketBits(sections.termHashes.length)
    this.reader = new VarintReader(sections.terms)
  }

  /** Returns the place of a term, or 0 when no passage has it. */
  find(term: Term): number {
    const { termBuckets, termHashes, termStarts } = this.sections
    const bucket = term.hash >>> this.shift
    const end = termBuckets[bucket + 1]!
    for (let number = termBuckets[bucket]!; number < end; number++) {
      if (termHashes[number] !== term.hash) continue
      const place = this.placeAfter(termStarts[number]!, term)
      if (place > 0) return place
    }
    return 0
  }

  /** Reads the term with a number, counted in the order of the dictionary, into `term`. The place of the term is `term.end`. */
  readTerm(number: number, term: Term): void {
    const { reader } = this
    reader.at = this.sections.termStarts[number]!
    const length = reader.next()
    term.bytes = reader.bytes
    term.start = reader.at
    term.end = reader.at + length
    term.hash = this.sections.termHashes[number]!
  }

  /** Returns how many passages, including deleted passages, have the term in at least one field of the set `fields`. */
  frequency(place: number, fields: number): number {
    const { reader } = this
    reader.at = place
    let having = 0
    for (let sets = reader.next(), set = 1; sets !== 0; sets >>>= 1, set++) {
      if ((sets & 1) === 0) continue
      const count = reader.next()
      if ((set & fields) !== 0) having += count
    }
    return having
  }

  /** Reads where the postings of the term at `place` are into `entry`. */
  readEntry(place: number, entry: TermEntry): void {
    const { reader } = this
    reader.at = place
    for (let sets = reader.next(); sets !== 0; sets &= sets - 1) reader.next()
    entry.blocks = reader.next()
    entry.first = entry.blocks === 1 ? reader.at : reader.next()
  }

  /** Returns the place of the term that starts at `at`, or 0 when it is another term than the given one. */
  private placeAfter(at: number, { bytes, start, end }: Term): number {
    const { reader } = this
    reader.at = at
    if (reader.next() !== end - start) return 0
    for (let i = start; i < end; i++) if (reader.byte() !== bytes[i]) return 0
    return reader.at
  }
}
