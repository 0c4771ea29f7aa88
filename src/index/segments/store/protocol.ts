import type { StoredPassage } from '../../passage-table.ts'
import type { VectorLayout } from '../vectors/format.ts'
import type { NewPassage } from '../segment-builder.ts'
import type { SegmentDocument } from '../segment-columns.ts'
import type { SegmentMemory } from './memory.ts'
import type { ProjectSegments, SharedSegment } from './project-segments.ts'

/** What a thread can be asked: for each kind of request, its fields and its answer. */
export type Calls<C> = { [Kind in keyof C]: { request: object; answer: unknown } }

/** A document that becomes searchable. */
export interface NewDocument {
  document: SegmentDocument & { nameTerms: string }
  passages: readonly NewPassage[]
  /** In the order of the passages. Null for a passage without a vector. */
  vectors: readonly (Float32Array | null)[]
}

export interface NewDocuments {
  projectId: string
  ownerId: string
  documents: readonly NewDocument[]
}

export interface Place {
  /** The folder of the index. */
  folder: string
  layout: VectorLayout
}

/** The thread that writes manifests, one change after another. */
export interface WriterCalls {
  /** Comes first. Reads the files of all projects, except for the segments that are known. Removes files that no manifest names. */
  open: {
    request: Place & { known: readonly ProjectSegments[]; memory: SegmentMemory }
    answer: { projects: ProjectSegments[]; damage: { projectId: string; failure: Failure }[] }
  }
  /** Adds documents and removes others. Each project changes in one step or, when that failed, not at all. */
  commit: { request: { added: readonly NewDocuments[]; removed: readonly string[] }; answer: Changed }
  /** Puts a segment whose files are written in the place of others. */
  install: { request: Installation; answer: Changed }
  /** Removes a damaged segment. Its project is incomplete from now on. */
  drop: { request: { projectId: string; name: string }; answer: Changed }
  /** Records that segments are missing, or that none is missing any more. */
  mark: { request: { projects: readonly Marked[] }; answer: Changed }
}

export type Marked = Pick<ProjectSegments, 'projectId' | 'ownerId' | 'isIncomplete'>

export interface Installation extends Pick<ProjectSegments, 'projectId' | 'ownerId'> {
  segment: SharedSegment
  /** The segments that it replaces, with the new number of each of their passages (merge.ts). */
  sources: readonly { name: string; numbers: Uint32Array }[]
  /** Documents that were deleted or replaced while the segment was built. */
  without: readonly string[]
}

/** What a call has changed. */
export interface Changed {
  /** A project that no longer exists has no segments. */
  projects: ProjectSegments[]
  /** The rows of the passages that were removed. */
  removedRows: bigint[]
  /** The first failure. The projects above have changed nevertheless. */
  failure: Failure | null
}

/** The thread that merges and rebuilds segments, which takes long. It writes files that no manifest names yet. */
export interface BackgroundCalls {
  merge: {
    request: Place & { projectId: string; sources: readonly SharedSegment[] }
    answer: { segment: SharedSegment; numbers: Uint32Array[] }
  }
  /** Builds a segment of stored passages, whose texts are analysed again. */
  rebuild: { request: Place & { projectId: string; rows: { row: bigint; passage: StoredPassage }[] }; answer: SharedSegment }
  /** Verifies the sections that are not in memory. Fails with `index_corrupt`. */
  verify: { request: Pick<SharedSegment, 'words' | 'vectors'>; answer: null }
}

/** An error as it crosses threads. */
export interface Failure {
  /** Of a DocsearchError. */
  code: string | undefined
  message: string
  stack: string | undefined
}
