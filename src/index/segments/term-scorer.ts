import { type Bitmap, setBit } from './bitmap.ts'
import { type Bm25f, score } from './bm25f.ts'
import { BLOCK_POSTINGS, FIELD_COUNT, type SegmentSections } from './format.ts'
import { BlockDecoder } from './postings.ts'
import type { Segment } from './segment.ts'
import type { SegmentRow, TermLists } from './segment-row.ts'
import type { TermEntry } from './term-dictionary.ts'

/**
 * Goes through the postings of one term in all segments, in ascending order of passages. The postings of one segment are a list. A list of one
 * block is short, so it is scored as a whole. In a longer list, blocks are skipped where their bounds allow it.
 */
export class TermScorer {
  /** No passage in the current window scores higher for the term. 0 when no passage in the window has the term. */
  bound = 0
  private readonly scoring: Bm25f
  private readonly most: number
  private readonly row: SegmentRow
  private readonly lists: TermLists
  private readonly decoder = new BlockDecoder()
  /** The current list, or the number of lists when all have been read. */
  private list = -1
  private readonly entry: TermEntry = { blocks: 0, first: 0 }
  private segment!: Segment
  private sections!: SegmentSections
  /** The numbers of the first passage of this segment and of the next one (segment-row.ts). */
  private start = 0
  private end = 0
  private block = 0
  private decoded = -1
  /** The next posting in the decoded block. */
  private at = 0
  /** The scores of the postings in block `scored`. */
  private readonly scores = new Float64Array(BLOCK_POSTINGS)
  private scored = -1
  private boundedBlock = -1
  private blockBound = 0

  constructor(scoring: Bm25f, most: number, row: SegmentRow, lists: TermLists) {
    this.scoring = scoring
    this.most = most
    this.row = row
    this.lists = lists
    this.openNext()
  }

  /** Goes to a window of passages, and sets `bound` from the bounds of its blocks. */
  enter(start: number, end: number): void {
    this.advance(start)
    this.bound = 0
    if (this.isAtEnd || this.start >= end) return
    const { blocks, first } = this.entry
    const { blockLasts } = this.sections
    if (blocks === 1) this.scoreBlock()
    if (this.next(start) < end) {
      this.bound = this.boundOf(this.block)
      for (let block = this.block + 1; block < blocks && blockLasts[first + block - 1]! < end - 1 - this.start; block++)
        this.bound = Math.max(this.bound, this.boundOf(block))
    }
    // Lists that begin in this window are opened only when their postings are needed.
    if (this.nextListStart() < end) this.bound = score(this.most, 0, 1)
  }

  /** Returns the next passage with the term. While its block is not decoded, returns a lower bound of at least `from`. Returns Infinity at the end. */
  next(from: number): number {
    if (this.isAtEnd) return Infinity
    if (this.decoded === this.block) return this.start + this.decoder.passages[this.at]!
    return Math.max(from, this.start)
  }

  /** Adds the term's scores in the window from `start` up to `end` to `scores`, and the passages to `matches`. Both count passages from `start`. */
  collect(start: number, end: number, scores: Float64Array, matches: Bitmap): void {
    while (this.start < end && !this.isAtEnd) {
      this.scoreBlock()
      const { passages, count } = this.decoder
      const offset = this.start - start
      const last = end - this.start
      let at = this.at
      for (; at < count && passages[at]! < last; at++) {
        const passageScore = this.scores[at]!
        if (passageScore === 0) continue
        scores[offset + passages[at]!]! += passageScore
        setBit(matches, offset + passages[at]!)
      }
      this.at = at
      if (at < count) return
      this.leaveBlock()
    }
  }

  /** Returns the term's score in a passage, 0 when the passage does not have the term. Passages have to come in ascending order. */
  scoreOf(passage: number): number {
    this.advance(passage)
    if (this.isAtEnd || this.start > passage) return 0
    this.decode()
    const { decoder } = this
    const local = passage - this.start
    while (this.at < decoder.count && decoder.passages[this.at]! < local) this.at++
    if (this.at === decoder.count) {
      this.leaveBlock()
      return 0
    }
    if (decoder.passages[this.at] !== local) return 0
    if (this.scored === this.block) return this.scores[this.at]!
    let frequency = 0
    for (let f = 0; f < FIELD_COUNT; f++) frequency += this.scoring.weights[f]! * decoder.frequency(this.at, f)
    return frequency === 0 ? 0 : score(this.most, this.scoring.slowness(this.sections.lengths, local), frequency)
  }

  private get isAtEnd(): boolean {
    return this.list === this.lists.segments.length
  }

  /** Goes to the first posting at or after a passage, or to the list or block that may contain it. */
  private advance(passage: number): void {
    while (!this.isAtEnd && this.end <= passage) this.openNext()
    if (this.isAtEnd || this.start >= passage) return
    const { blocks, first } = this.entry
    const { blockLasts } = this.sections
    const local = passage - this.start
    if (blocks > 1) while (this.block < blocks && blockLasts[first + this.block]! < local) this.block++
    if (this.block === blocks) return this.openNext()
    if (this.decoded !== this.block) return
    while (this.at < this.decoder.count && this.decoder.passages[this.at]! < local) this.at++
    if (this.at === this.decoder.count) this.leaveBlock()
  }

  private leaveBlock(): void {
    if (++this.block === this.entry.blocks) this.openNext()
  }

  /** Goes to the next segment that has the term. */
  private openNext(): void {
    this.list++
    if (this.isAtEnd) return
    const { row, lists } = this
    const number = lists.segments[this.list]!
    this.segment = row.segments[number]!
    this.sections = this.segment.sections
    this.start = row.starts[number]!
    this.end = row.starts[number + 1]!
    this.segment.terms.readEntry(lists.places[this.list]!, this.entry)
    this.block = 0
    this.decoded = this.scored = this.boundedBlock = -1
  }

  private nextListStart(): number {
    const { segments } = this.lists
    return this.list + 1 >= segments.length ? Infinity : this.row.starts[segments[this.list + 1]!]!
  }

  private decode(): void {
    if (this.decoded === this.block) return
    this.segment.enterBlock(this.entry, this.block, this.decoder)
    this.decoded = this.block
    this.at = 0
  }

  /** Computes the scores of the current block. */
  private scoreBlock(): void {
    if (this.scored === this.block) return
    this.decode()
    this.scored = this.block
    const { decoder, scores, scoring, most } = this
    const { lengths } = this.sections
    const { passages, count } = decoder
    scores.fill(0, 0, count)
    for (let f = 0; f < FIELD_COUNT; f++) if (scoring.weights[f]! > 0) decoder.addFrequencies(f, scoring.weights[f]!, scores)
    for (let i = 0; i < count; i++) {
      if (scores[i]! > 0) scores[i] = score(most, scoring.slowness(lengths, passages[i]!), scores[i]!)
    }
  }

  /** Returns an upper bound of the scores in a block: the highest score once the block is scored. */
  private boundOf(block: number): number {
    if (block === this.boundedBlock) return this.blockBound
    this.boundedBlock = block
    if (this.scored === block) {
      this.blockBound = 0
      for (let i = 0; i < this.decoder.count; i++) this.blockBound = Math.max(this.blockBound, this.scores[i]!)
    } else {
      const { blockMaxFrequencies, blockMinLengths } = this.sections
      this.blockBound = this.scoring.bound(this.most, blockMaxFrequencies, blockMinLengths, this.entry.first + block)
    }
    return this.blockBound
  }
}
