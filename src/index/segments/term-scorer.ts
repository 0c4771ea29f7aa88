import { type Bitmap, setBit } from './bitmap.ts'
import { type Bm25f, score } from './bm25f.ts'
import { BLOCK_POSTINGS, FIELD_COUNT, type SegmentSections } from './format.ts'
import type { Segment } from './segment.ts'
import { BlockDecoder } from './postings.ts'
import type { TermEntry } from './term-dictionary.ts'

/** Walks the postings of one term of a query through one segment after the other, in ascending order of passages. */
export class TermScorer {
  /** The highest score of a passage in the current window. 0 when the window has none. */
  bound = 0
  private readonly scoring: Bm25f
  private readonly most: number
  private readonly decoder = new BlockDecoder()
  private sections!: SegmentSections
  private block = 0
  private endBlock = 0
  private decoded = -1
  /** The next posting in the decoded block. */
  private at = 0
  /** The weighted frequencies of the block `weighed`. */
  private readonly weighted = new Float64Array(BLOCK_POSTINGS)
  private weighed = -1
  private boundedBlock = -1
  private blockBound = 0

  constructor(scoring: Bm25f, most: number) {
    this.scoring = scoring
    this.most = most
  }

  /** Goes to the first posting of the term in a segment. */
  open(segment: Segment, entry: TermEntry): void {
    this.sections = segment.sections
    this.decoder.open(segment, entry)
    this.block = entry.firstBlock
    this.endBlock = entry.firstBlock + entry.blocks
    this.decoded = this.weighed = this.boundedBlock = -1
  }

  /** Goes to a window of passages, and sets `bound` from the bounds of its blocks. */
  enter(start: number, end: number): void {
    this.advance(start)
    const { blockLasts } = this.sections
    this.bound = 0
    if (this.next(start) >= end) return
    for (let block = this.block; block < this.endBlock && (block === this.block || blockLasts[block - 1]! < end - 1); block++)
      this.bound = Math.max(this.bound, this.boundOf(block))
  }

  /** Returns the next passage where it is known, `unknown` where its block is not decoded, and Infinity at the end. */
  next(unknown: number): number {
    if (this.block >= this.endBlock) return Infinity
    return this.decoded === this.block ? this.decoder.passages[this.at]! : unknown
  }

  /** Adds the term's scores of the window to `scores`, and its passages to `matches`, both counted from `start`. */
  collect(start: number, end: number, scores: Float64Array, matches: Bitmap): void {
    const { scoring, most, weighted } = this
    const { lengths } = this.sections
    const { passages } = this.decoder
    for (; this.block < this.endBlock; this.block++) {
      this.decode()
      this.weigh()
      const { count } = this.decoder
      let at = this.at
      for (; at < count; at++) {
        const passage = passages[at]!
        if (passage >= end) break
        const frequency = weighted[at]!
        if (frequency === 0) continue
        scores[passage - start]! += score(most, scoring.slowness(lengths, passage), frequency)
        setBit(matches, passage - start)
      }
      this.at = at
      if (at < count) return
    }
  }

  /** Returns the term's score of a passage, 0 when it does not have the term. Passages come in ascending order. */
  scoreOf(passage: number): number {
    this.advance(passage)
    if (this.block >= this.endBlock) return 0
    this.decode()
    const { passages } = this.decoder
    while (passages[this.at]! < passage) this.at++
    if (passages[this.at] !== passage) return 0
    let frequency = 0
    for (let f = 0; f < FIELD_COUNT; f++) frequency += this.scoring.weights[f]! * this.decoder.frequency(this.at, f)
    return frequency === 0 ? 0 : score(this.most, this.scoring.slowness(this.sections.lengths, passage), frequency)
  }

  /** Goes to the first posting from a passage on, without decoding its block. */
  private advance(passage: number): void {
    const { blockLasts } = this.sections
    while (this.block < this.endBlock && blockLasts[this.block]! < passage) this.block++
    if (this.decoded !== this.block) return
    while (this.decoder.passages[this.at]! < passage) this.at++
  }

  private decode(): void {
    if (this.decoded === this.block) return
    this.decoder.enter(this.block)
    this.decoded = this.block
    this.at = 0
  }

  /** Computes the weighted frequencies of the decoded block. */
  private weigh(): void {
    if (this.weighed === this.block) return
    this.weighed = this.block
    const { decoder, weighted } = this
    const { weights } = this.scoring
    weighted.fill(0)
    for (let f = 0; f < FIELD_COUNT; f++)
      if (weights[f]! > 0 && decoder.hasField(f)) decoder.addFrequencies(f, weights[f]!, weighted)
  }

  private boundOf(block: number): number {
    if (block !== this.boundedBlock) {
      this.boundedBlock = block
      this.blockBound = this.scoring.bound(this.most, this.sections.blockMaxFrequencies, this.sections.blockMinLengths, block)
    }
    return this.blockBound
  }
}
