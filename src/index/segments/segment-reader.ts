import { membersOf } from './bitmap.ts'
import type { DeletionBitmap } from './deletion-bitmap.ts'
import { FIELD_COUNT } from './format.ts'
import { BlockDecoder } from './postings.ts'
import type { Segment } from './segment.ts'
import type { TermEntry } from './term-dictionary.ts'

/** Numbers of passages and terms from which scores follow. Sums of whole numbers, so they don't depend on how passages are divided. */
export interface CollectionStatistics {
  passages: number
  /** Number of terms in each field. */
  lengths: number[]
}

/** Counting takes about 2 ns a posting. So only terms of many blocks are worth remembering, and a segment has few of these. */
const MIN_REMEMBERED_BLOCKS = 8
const MAX_REMEMBERED_TERMS = 4_096

/**
 * A segment with one generation of its deletions. Deleted passages count in no statistic: scores are the same, bit for bit,
 * as in a segment that never had them. The first search for a term in this generation counts the term's deleted passages.
 */
export class SegmentReader {
  readonly segment: Segment
  readonly deletions: DeletionBitmap
  readonly statistics: CollectionStatistics
  private readonly counts = new Map<number, Uint32Array>()

  constructor(segment: Segment, deletions: DeletionBitmap) {
    if (deletions.passages !== segment.passages) throw new RangeError('the deletions are of another segment')
    this.segment = segment
    this.deletions = deletions
    const { summary, lengths } = segment.sections
    this.statistics = { passages: segment.passages - deletions.count, lengths: [...summary.subarray(2)] }
    for (const passage of membersOf(deletions.bits))
      for (let f = 0; f < FIELD_COUNT; f++) this.statistics.lengths[f]! -= lengths[passage * FIELD_COUNT + f]!
  }

  /** Returns for each set of fields how many passages have the term in exactly these fields. */
  countsOf(entry: TermEntry): Uint32Array {
    if (this.deletions.count === 0) return entry.counts
    const known = this.counts.get(entry.firstBlock)
    if (known) return known
    const counts = this.countLive(entry)
    if (entry.blocks < MIN_REMEMBERED_BLOCKS) return counts
    if (this.counts.size >= MAX_REMEMBERED_TERMS) this.counts.clear()
    this.counts.set(entry.firstBlock, counts)
    return counts
  }

  private countLive(entry: TermEntry): Uint32Array {
    const live = entry.counts.slice()
    const decoder = new BlockDecoder()
    decoder.open(this.segment, entry)
    for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block++) {
      decoder.enter(block)
      for (let i = 0; i < decoder.count; i++) if (this.deletions.has(decoder.passages[i]!)) live[decoder.fieldsOf(i)]!--
    }
    return live
  }
}
