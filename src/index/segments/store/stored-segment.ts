import { randomBytes } from 'node:crypto'
import { DeletionBitmap } from '../bitmap.ts'
import { openable, type SharedFile } from '../paged-file.ts'
import { SegmentBuilder } from '../segment-builder.ts'
import { Segment } from '../segment.ts'
import { buildVectors } from '../vectors/build.ts'
import type { VectorLayout } from '../vectors/format.ts'
import { toShared, toSharedVectors } from './files.ts'
import type { SegmentPart, SharedSegment } from './project-segments.ts'
import type { NewDocument } from './protocol.ts'

/** Builds a segment of new documents. */
export function buildSegment(documents: readonly NewDocument[], layout: VectorLayout): SharedSegment {
  const builder = new SegmentBuilder()
  for (const { document, passages } of documents) builder.add(document, passages)
  const words = toShared(builder.finish())
  const added = documents.flatMap((document) => document.vectors)
  const vectors = Array.from(builder.order(), (place) => added[place]!)
  return newSegment(words, toSharedVectors(buildVectors(vectors, layout)), vectors.length)
}

export function newSegment(words: SharedArrayBuffer, vectors: SharedFile, passages: number): SharedSegment {
  return { name: randomBytes(10).toString('hex'), words, vectors, deletions: null, generation: 0, passages, deleted: 0 }
}

/** Looking a document up by its ID costs about as much as reading the IDs of this many documents. */
const SEARCH_COST = 4

/** A segment as the writer thread knows it, with one generation of its deletions. */
export class StoredSegment {
  readonly shared: SharedSegment
  readonly segment: Segment
  readonly deletions: DeletionBitmap

  private constructor(shared: SharedSegment, segment: Segment, deletions: DeletionBitmap) {
    this.shared = shared
    this.segment = segment
    this.deletions = deletions
  }

  /** Opens files whose bytes were built or verified before. */
  static open(files: Omit<SharedSegment, 'passages' | 'deleted'>): StoredSegment {
    const segment = new Segment(openable(files.words), { isVerified: true })
    const deletions =
      files.deletions === null ? DeletionBitmap.none(segment.sections) : DeletionBitmap.open(new Uint8Array(files.deletions))
    return new StoredSegment({ ...files, passages: segment.passages, deleted: deletions.count }, segment, deletions)
  }

  get live(): number {
    return this.deletions.passages - this.deletions.count
  }

  /** Returns the same segment with other file objects, for example with files on disk instead of in memory. */
  withFiles({ words, vectors }: Record<SegmentPart, SharedFile>): StoredSegment {
    return StoredSegment.open({ ...this.shared, words, vectors })
  }

  /** Returns the segment with these passages deleted as well. */
  without(passages: readonly number[]): StoredSegment {
    if (passages.length === 0) return this
    const deletions = this.deletions.with(passages)
    const { generation, count } = deletions
    const shared = { ...this.shared, deletions: toShared(deletions.toBytes()), generation, deleted: count }
    return new StoredSegment(shared, this.segment, deletions)
  }

  /** Returns the passages of these documents that are not deleted. */
  passagesOf(documentIds: ReadonlySet<string>): number[] {
    return this.documentsOf(documentIds).flatMap((document) => {
      const { start, end } = this.segment.passagesOf(document)
      return Array.from({ length: end - start }, (_, i) => start + i).filter((passage) => !this.deletions.has(passage))
    })
  }

  rowOf(passage: number): bigint {
    return this.segment.sections.rows[passage]!
  }

  private documentsOf(documentIds: ReadonlySet<string>): number[] {
    const { documents } = this.segment
    if (documentIds.size * SEARCH_COST < documents) return [...documentIds].flatMap((id) => this.segment.documentsWithId(id))
    return Array.from({ length: documents }, (_, document) => document).filter((document) =>
      documentIds.has(this.segment.documentId(document)),
    )
  }
}
