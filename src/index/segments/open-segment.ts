import { DeletionBitmap } from './deletion-bitmap.ts'
import { SegmentReader } from './segment-reader.ts'
import { Segment } from './segment.ts'
import { openable, type SharedFile } from './paged-file.ts'
import type { SharedSegment } from './store/project-segments.ts'
import { SegmentVectors } from './vectors/segment-vectors.ts'

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
