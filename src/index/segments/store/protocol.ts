import type { Failure } from '../../../core/thread.ts'
import type { StoredPassage } from '../../../core/passage.ts'
import type { VectorLayout } from '../vectors/format.ts'
import type { PagedFile, SharedFile } from '../paged-file.ts'
import type { NewPassage } from '../segment-builder.ts'
import type { SegmentDocument } from '../segment-columns.ts'
import type { SegmentMemory } from './memory.ts'
import type { ProjectSegments, SegmentPart, SharedSegment } from './project-segments.ts'
import type { SharedPlace, WriterLease } from './shares.ts'

/** A document that becomes searchable. */
export interface NewDocument {
  document: SegmentDocument & { nameTerms: string }
  passages: readonly NewPassage[]
  /** The vectors of the passages, in the same order. Null for a passage without a vector. */
  vectors: readonly (Float32Array | null)[]
}

export interface NewDocuments {
  projectId: string
  documents: readonly NewDocument[]
}

/** Where the files of an index are. */
export interface IndexFolder {
  /** The folder of the index. */
  folder: string
  layout: VectorLayout
  /** Where other processes find the files. Null for an instance on one machine. */
  shared: SharedPlace | null
}

/** The thread that writes manifests, one change after another. */
export interface WriterCalls {
  /** The first call. Reads the files of all projects, except for known segments. Removes files that no manifest names. */
  open: {
    request: IndexFolder & {
      known: readonly ProjectSegments[]
      memory: SegmentMemory
    }
    answer: { projects: ProjectSegments[]; damage: { projectId: string; failure: Failure }[]; version: number }
  }
  /** Makes this process the writer of segments that processes share, and reads what the earlier writer has committed. */
  takeOver: { request: { lease: WriterLease }; answer: Changed }
  /** See `Shares.confirm`. Fails if this process lacks projects. */
  confirm: { request: object; answer: null }
  /** See `Shares.unneeded`. */
  unneeded: { request: { files: readonly string[] }; answer: string[] }
  /** Adds documents and removes others. Each project changes in one step, or not at all if that fails. */
  commit: { request: { added: readonly NewDocuments[]; removed: readonly string[] }; answer: Changed }
  /** Replaces segments with a segment whose files are already written. */
  install: { request: Installation; answer: Changed }
  /** Leaves out a damaged segment, if it is still there. Its project is then incomplete. */
  leaveOut: { request: { projectId: string; name: string }; answer: Changed }
  /** Replaces a file of a segment on disk by the same file in memory, if the segment is still there. */
  keepInMemory: { request: { projectId: string; name: string; part: SegmentPart; file: SharedFile }; answer: Changed }
  /** Reads what other processes have committed. */
  follow: { request: object; answer: Changed }
  /** Records whether segments of projects are missing. */
  mark: { request: { projects: readonly Marked[] }; answer: Changed }
}

export type Marked = Pick<ProjectSegments, 'projectId' | 'isIncomplete'>

export interface Installation {
  projectId: string
  segment: SharedSegment
  /** The segments that it replaces, with the new numbers of their passages (segments/merge.ts). */
  sources: readonly { name: string; numbers: Uint32Array }[]
  /** Documents that were deleted or replaced while the segment was built. */
  without: readonly string[]
}

/** The changes of a call. */
export interface Changed {
  /** A project that no longer exists has no segments. */
  projects: ProjectSegments[]
  /** The rows of the passages that were removed. */
  removedRows: bigint[]
  /** The first failure. The projects in `projects` have changed nevertheless. */
  failure: Failure | null
  /** The number of the last commit that this process knows. 0 for an index of one process. */
  version: number
}

/** The thread for long work: it merges, rebuilds and verifies segments. It writes files that no manifest names yet. */
export interface BackgroundCalls {
  merge: {
    request: IndexFolder & { projectId: string; sources: readonly SharedSegment[] }
    answer: { segment: SharedSegment; numbers: Uint32Array[] }
  }
  /** Analyses stored passages again and builds a segment of them. */
  rebuild: {
    request: IndexFolder & { projectId: string; rows: { row: bigint; passage: StoredPassage }[] }
    answer: SharedSegment
  }
  /** See `Shares.unnamed`. */
  unnamed: { request: IndexFolder; answer: string[] }
  /** See `Shares.delete`. */
  delete: { request: IndexFolder & { files: readonly string[] }; answer: null }
  /** Verifies the sections on disk. Fails with `index_corrupt` when one is damaged. */
  verify: { request: { part: SegmentPart; file: PagedFile }; answer: null }
  /** Reads a file into memory and verifies it. Fails with `index_corrupt` when it is damaged. */
  read: { request: { part: SegmentPart; file: PagedFile }; answer: SharedFile }
}
