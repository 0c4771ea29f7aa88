import { bytesInMemory, isPaged, memoryOf, type PagedFile, type SharedFile } from '../paged-file.ts'

/** A segment that all threads share. No thread writes to its memory. */
export interface SharedSegment {
  /** The name of its files, without the suffix. Unique within an index. */
  name: string
  /** The `.seg` file, with words and columns. */
  words: SharedFile
  /** The `.vec` file. */
  vectors: SharedFile
  /** The newest `.del` file. Null while no passage is deleted. */
  deletions: SharedArrayBuffer | null
  /** The generation of the deletions, 0 without deletions. */
  generation: number
  passages: number
  /** How many of the passages are deleted. */
  deleted: number
}

/** One of the two large files of a segment. */
export type SegmentPart = 'words' | 'vectors'

/** A snapshot of the segments of one project. */
export interface ProjectSegments {
  projectId: string
  segments: readonly SharedSegment[]
  /** True while segments are missing and have to be rebuilt. Answers then say so. */
  isIncomplete: boolean
}

/**
 * Called with a project after each of its changes. With `mustSettle`, the listener returns a promise. It resolves once the listener's threads
 * no longer read files that the project had before.
 */
export type SegmentsListener = (changed: ProjectSegments, mustSettle?: boolean) => unknown

export function livePassages({ segments }: Pick<ProjectSegments, 'segments'>): number {
  return segments.reduce((sum, { passages, deleted }) => sum + passages - deleted, 0)
}

/**
 * Returns a segment with the file objects that `known` has, except for a file that has moved between memory and disk. Each message from another
 * thread has new objects for the same memory. Keeping the first ones means that no file is opened twice.
 */
export function asKnown(segment: SharedSegment, known: SharedSegment | undefined): SharedSegment {
  if (known === undefined) return segment
  const words = isPaged(segment.words) === isPaged(known.words) ? known.words : segment.words
  const vectors = isPaged(segment.vectors) === isPaged(known.vectors) ? known.vectors : segment.vectors
  const isSame = known.generation === segment.generation && words === known.words && vectors === known.vectors
  return isSame ? known : { ...segment, words, vectors }
}

/** Makes V8 count the memory of a segment in this thread (segments/paged-file.ts). */
export function countMemoryOfSegment({ words, vectors }: SharedSegment): void {
  for (const file of [words, vectors]) if (!isPaged(file)) bytesInMemory(file)
}

/** A file of a segment whose large sections are on disk. */
export interface FileOnDisk {
  /** The name of the segment. */
  name: string
  part: SegmentPart
  file: PagedFile
}

export function filesOnDisk(segment: SharedSegment): FileOnDisk[] {
  return (['words', 'vectors'] as const).flatMap((part) => {
    const file = segment[part]
    return isPaged(file) ? [{ name: segment.name, part, file }] : []
  })
}

export function pagedFilesOf(segment: SharedSegment): PagedFile[] {
  return filesOnDisk(segment).map(({ file }) => file)
}

export function memoryOfSegment({ words, vectors, deletions }: SharedSegment): number {
  return memoryOf(words) + memoryOf(vectors) + (deletions?.byteLength ?? 0)
}
