/** A segment in memory that all threads share. Nobody writes to the buffers. */
export interface SharedSegment {
  /** The name of its files, without the suffix. Unique within an index. */
  name: string
  /** The `.seg` file: words and columns. */
  words: SharedArrayBuffer
  /** The `.vec` file. */
  vectors: SharedArrayBuffer
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

export function livePassages({ segments }: Pick<ProjectSegments, 'segments'>): number {
  return segments.reduce((sum, { passages, deleted }) => sum + passages - deleted, 0)
}
