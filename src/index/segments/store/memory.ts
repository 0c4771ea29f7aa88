import { isPaged, memoryOf, PAGE_BYTES, type SharedFile } from '../paged-file.ts'
import { memoryOfSegment, type SharedSegment } from './project-segments.ts'

/** How much memory segments may take. */
export interface SegmentMemory {
  /** For the files that threads share. Small files and small sections are always in memory, even if they exceed this. */
  sharedBytes: number
  /** For the pages that each thread keeps. */
  cacheBytes: number
}

export const ALL_IN_MEMORY: SegmentMemory = { sharedBytes: Infinity, cacheBytes: 0 }

/** How many files may be open to be read page by page. */
const MAX_PAGED_FILES = 1_000
/** Smaller files always stay in memory. */
const MIN_PAGED_BYTES = PAGE_BYTES
/** A thread keeps at least this many pages, because a block of vectors or postings may span several. */
const MIN_PAGES = 4
/** The share of the memory that is for the pages of all threads. */
const CACHE_SHARE = 1 / 8

/** Divides memory between the files that threads share and the pages that each thread keeps. */
export function divideMemory(bytes: number, threads: number): SegmentMemory {
  const cacheBytes = Math.max(MIN_PAGES * PAGE_BYTES, Math.floor((bytes * CACHE_SHARE) / threads))
  return { sharedBytes: Math.max(0, bytes - threads * cacheBytes), cacheBytes }
}

/**
 * Returns the files that have to leave memory so that the others fit: the largest files come first, because the smallest files are usually
 * the newest.
 */
export function filesToLeaveOnDisk(segments: readonly SharedSegment[], { sharedBytes }: SegmentMemory): SharedFile[] {
  let bytes = segments.reduce((sum, segment) => sum + memoryOfSegment(segment), 0)
  if (bytes <= sharedBytes) return []
  const files = segments.flatMap(({ words, vectors }) => [words, vectors])
  let paged = files.filter(isPaged).length
  const leaving: SharedFile[] = []
  const large = files.filter((file) => !isPaged(file) && memoryOf(file) >= MIN_PAGED_BYTES)
  for (const file of large.sort((a, b) => memoryOf(b) - memoryOf(a))) {
    if (bytes <= sharedBytes || paged >= MAX_PAGED_FILES) break
    bytes -= memoryOf(file)
    paged++
    leaving.push(file)
  }
  return leaving
}

/** Returns the size from which on files stay on disk, so that all smaller files fit into memory. */
export function smallestOnDisk(sizes: readonly number[], { sharedBytes }: SegmentMemory): number {
  let bytes = 0
  for (const size of sizes.toSorted((a, b) => a - b)) {
    bytes += size
    if (bytes > sharedBytes) return Math.max(size, MIN_PAGED_BYTES, sizes.toSorted((a, b) => b - a)[MAX_PAGED_FILES] ?? 0)
  }
  return Infinity
}
