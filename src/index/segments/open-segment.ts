import { DeletionBitmap } from './deletion-bitmap.ts'
import { SegmentReader } from './segment-reader.ts'
import { Segment } from './segment.ts'
import { openable, type SharedFile } from './paged-file.ts'
import type { SharedSegment } from './store/project-segments.ts'
import { SegmentVectors } from './vectors/segment-vectors.ts'

/** A segment as a search reads it. */
export interface OpenSegment {
  reader: SegmentReader
  vectors: SegmentVectors
}

/** What this thread has opened before, until nothing else refers to it. A segment and its vectors stay when its deletions change. */
const files = new WeakMap<SharedFile, Segment>()
const vectorFiles = new WeakMap<SharedFile, SegmentVectors>()
const open = new WeakMap<SharedSegment, OpenSegment>()

/** Opens a segment whose bytes were built or verified by another thread. Opens it only once for each generation of its deletions. */
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
