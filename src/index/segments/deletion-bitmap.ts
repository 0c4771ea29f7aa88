import { type Bitmap, createBitmap, hasBit, membersOf, setBit } from './bitmap.ts'
import type { SegmentSections } from './format.ts'
import { check, readSections, writeSections } from './sections.ts'

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
