import { membersOf, DeletionBitmap } from './bitmap.ts'
import { FIELD_COUNT } from './format.ts'
import { BlockDecoder } from './postings.ts'
import { Segment } from './segment.ts'
import { FIELD_SETS, type TermEntry } from './term-dictionary.ts'
import { openable, type SharedFile } from './paged-file.ts'
import type { SharedSegment } from './store/project-segments.ts'
import { SegmentVectors } from './vectors/segment-vectors.ts'

/** The numbers of passages and terms that scores depend on: sums of whole numbers, so it doesn't matter which segment has a passage. */
export interface CollectionStatistics {
  passages: number
  /** Number of terms in each field. */
  lengths: number[]
}

/** Counting takes about 2 ns for each posting. So only terms with many blocks are worth remembering, and a segment has few such terms. */
const MIN_REMEMBERED_BLOCKS = 8
const MAX_REMEMBERED_TERMS = 4_096

const decoder = new BlockDecoder()

/**
 * A segment with one generation of its deletions. Deleted passages count in no statistic: scores are the same, bit for bit,
 * as in a segment that never had them. The first search for a term in this generation counts the term's deleted passages.
 */
export class SegmentReader {
  readonly segment: Segment
  readonly deletions: DeletionBitmap
  readonly statistics: CollectionStatistics
  private readonly deleted = new Map<number, Uint32Array>()

  constructor(segment: Segment, deletions: DeletionBitmap) {
    if (deletions.passages !== segment.passages) throw new RangeError('the deletions are of another segment')
    this.segment = segment
    this.deletions = deletions
    const { summary, lengths } = segment.sections
    this.statistics = { passages: segment.passages - deletions.count, lengths: [...summary.subarray(2)] }
    for (const passage of membersOf(deletions.bits))
      for (let f = 0; f < FIELD_COUNT; f++) this.statistics.lengths[f]! -= lengths[passage * FIELD_COUNT + f]!
  }

  /** Returns how many passages have a term in at least one field of the set `fields`. `place` is the term's place in the dictionary. */
  frequency(place: number, fields: number): number {
    let having = this.segment.terms.frequency(place, fields)
    if (this.deletions.count === 0) return having
    const deleted = this.deletedOf(place)
    for (let set = 1; set < FIELD_SETS; set++) if ((set & fields) !== 0) having -= deleted[set]!
    return having
  }

  /** Returns, for each set of fields, how many deleted passages have a term in exactly these fields. */
  private deletedOf(place: number): Uint32Array {
    const known = this.deleted.get(place)
    if (known) return known
    const entry: TermEntry = { blocks: 0, first: 0 }
    this.segment.terms.readEntry(place, entry)
    const deleted = new Uint32Array(FIELD_SETS)
    for (let block = 0; block < entry.blocks; block++) {
      this.segment.enterBlock(entry, block, decoder)
      for (let i = 0; i < decoder.count; i++) if (this.deletions.has(decoder.passages[i]!)) deleted[decoder.fieldsOf(i)]!++
    }
    if (entry.blocks < MIN_REMEMBERED_BLOCKS) return deleted
    if (this.deleted.size >= MAX_REMEMBERED_TERMS) this.deleted.clear()
    this.deleted.set(place, deleted)
    return deleted
  }
}

/** A segment that is ready to be searched. */
export interface OpenSegment {
  reader: SegmentReader
  vectors: SegmentVectors
}

/** What this thread has opened, for as long as something else refers to it. A segment and its vectors stay open when its deletions change. */
const files = new WeakMap<SharedFile, Segment>()
const vectorFiles = new WeakMap<SharedFile, SegmentVectors>()
const open = new WeakMap<SharedSegment, OpenSegment>()

/** Opens a segment that another thread built or verified. Opens it only once for each generation of its deletions. */
export function openSegment(shared: SharedSegment): OpenSegment {
  const known = open.get(shared)
  if (known !== undefined) return known
  const segment = files.get(shared.words) ?? new Segment(openable(shared.words), { isVerified: true })
  files.set(shared.words, segment)
  const vectors = vectorFiles.get(shared.vectors) ?? new SegmentVectors(openable(shared.vectors), { isVerified: true })
  vectorFiles.set(shared.vectors, vectors)
  const deletions =
    shared.deletions === null ? DeletionBitmap.none(segment.sections) : DeletionBitmap.open(new Uint8Array(shared.deletions))
  const opened = { reader: new SegmentReader(segment, deletions), vectors }
  open.set(shared, opened)
  return opened
}
