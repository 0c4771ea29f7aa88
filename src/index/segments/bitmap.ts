import type { SegmentSections } from './format.ts'
import { check, readSections, writeSections } from './sections.ts'

/** A set of passages: bit `p % 32` of word `p / 32`. */
export type Bitmap = Uint32Array

export function createBitmap(size: number): Bitmap {
  return new Uint32Array(Math.ceil(size / 32))
}

export function hasBit(bitmap: Bitmap, bit: number): boolean {
  return ((bitmap[bit >>> 5]! >>> (bit & 31)) & 1) === 1
}

export function setBit(bitmap: Bitmap, bit: number): void {
  bitmap[bit >>> 5]! |= 1 << (bit & 31)
}

export function clearBit(bitmap: Bitmap, bit: number): void {
  bitmap[bit >>> 5]! &= ~(1 << (bit & 31))
}

/** Adds the bits from `start` up to, not including, `end`. */
export function setRange(bitmap: Bitmap, start: number, end: number): void {
  for (let bit = start; bit < end;) {
    const count = Math.min(32 - (bit & 31), end - bit)
    bitmap[bit >>> 5]! |= (count === 32 ? -1 : (1 << count) - 1) << (bit & 31)
    bit += count
  }
}

/** Returns the members in ascending order. */
export function* membersOf(bitmap: Bitmap): Generator<number> {
  for (let word = 0; word < bitmap.length; word++) {
    for (let bits = bitmap[word]!; bits !== 0; bits &= bits - 1) yield word * 32 + 31 - Math.clz32(bits & -bits)
  }
}

const DELETIONS = {
  magic: 'DSdl',
  version: 1,
  large: [],
  sections: { summary: [1, 'f64'], bits: [2, 'u32'] },
} as const

/**
 * The deleted passages of a segment. A segment never changes, so its deletions are in a separate file. Each deletion writes a new file with
 * the next generation. `summary` has the generation and the segment's number of passages; `bits` is the set of deleted passages.
 */
export class DeletionBitmap {
  readonly generation: number
  readonly passages: number
  readonly bits: Bitmap
  readonly count: number

  private constructor(generation: number, passages: number, bits: Bitmap) {
    this.generation = generation
    this.passages = passages
    this.bits = bits
    this.count = [...membersOf(bits)].length
  }

  /** Returns the bitmap of a segment without deletions. */
  static none({ summary }: Pick<SegmentSections, 'summary'>): DeletionBitmap {
    return new DeletionBitmap(0, summary[0]!, createBitmap(summary[0]!))
  }

  /** Throws DocsearchError `index_corrupt` for a damaged file. */
  static open(bytes: Uint8Array): DeletionBitmap {
    const { summary, bits } = readSections(DELETIONS, bytes)
    const [generation, passages] = summary
    check(
      generation !== undefined && passages !== undefined && bits.length === Math.ceil(passages / 32),
      'has no valid deletions',
    )
    return new DeletionBitmap(generation, passages, bits)
  }

  toBytes(): Uint8Array {
    return writeSections(DELETIONS, { summary: Float64Array.of(this.generation, this.passages), bits: this.bits })
  }

  has(passage: number): boolean {
    return hasBit(this.bits, passage)
  }

  /** Returns the next generation, in which these passages are deleted as well. */
  with(passages: Iterable<number>): DeletionBitmap {
    const bits = this.bits.slice()
    for (const passage of passages) {
      if (!(passage < this.passages)) throw new RangeError(`there is no passage ${passage}`)
      setBit(bits, passage)
    }
    return new DeletionBitmap(this.generation + 1, this.passages, bits)
  }
}
