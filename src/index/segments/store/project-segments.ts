import { isPaged, memoryOf, type PagedFile, type SharedFile } from '../paged-file.ts'

/** A segment that all threads share. Nobody writes to the buffers. */
export interface SharedSegment {
  /** The name of its files, without the suffix. Unique within an index. */
  name: string
  /** The `.seg` file: words and columns. */
  words: SharedFile
  /** The `.vec` file. */
  vectors: SharedFile
  /** The newest deletions file. Null while every passage is there. */
  deletions: SharedArrayBuffer | null
  /** The generation of the deletions, 0 without deletions. */
  generation: number
  passages: number
  /** How many of the passages are deleted. */
  deleted: number
}

/** The segments of one project at one moment. */
export interface ProjectSegments {
  projectId: string
  ownerId: string
  segments: readonly SharedSegment[]
  /** True while segments are missing and being rebuilt: answers say so. */
  isIncomplete: boolean
}

/**
 * Hears of each change of a project. With `mustSettle`, it returns a promise that resolves once nobody reads the files that the project no
 * longer has.
 */
export type SegmentsListener = (changed: ProjectSegments, mustSettle?: boolean) => unknown

export function livePassages({ segments }: Pick<ProjectSegments, 'segments'>): number {
  return segments.reduce((sum, { passages, deleted }) => sum + passages - deleted, 0)
}

/**
 * Returns a segment with the files that were known of it before, unless one has left memory or has come there. Each message has objects of its own over
 * the same memory. With the ones that came first, nothing is opened twice.
 */
export function asKnown(segment: SharedSegment, known: SharedSegment | undefined): SharedSegment {
  if (known === undefined) return segment
  const words = isPaged(segment.words) === isPaged(known.words) ? known.words : segment.words
  const vectors = isPaged(segment.vectors) === isPaged(known.vectors) ? known.vectors : segment.vectors
  const isSame = known.generation === segment.generation && words === known.words && vectors === known.vectors
  return isSame ? known : { ...segment, words, vectors }
}

export function pagedFilesOf({ words, vectors }: SharedSegment): PagedFile[] {
  return [words, vectors].filter(isPaged)
}

export function memoryOfSegment({ words, vectors, deletions }: SharedSegment): number {
  return memoryOf(words) + memoryOf(vectors) + (deletions?.byteLength ?? 0)
}
