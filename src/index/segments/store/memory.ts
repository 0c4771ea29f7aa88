import { hasOwnHandle, isPaged, memoryOf, PAGE_BYTES, type SharedFile } from '../paged-file.ts'
import { memoryOfSegment, type SharedSegment } from './project-segments.ts'

/** How much memory segments may take. */
export interface SegmentMemory {
  /** For the files that threads share. Small files and small sections are always in memory, even if they exceed this. */
  sharedBytes: number
  /** For the pages that each thread keeps. */
  cacheBytes: number
  /** Replaces `LATER_BYTES` in tests. */
  laterBytes?: number
}

/** What a process may use for segments. */
export interface MemoryLimits extends SegmentMemory {
  /** How many files may be open to be read page by page. */
  maxPagedFiles: number
}

export const ALL_IN_MEMORY: SegmentMemory = { sharedBytes: Infinity, cacheBytes: 2 ** 20 }

/**
 * A start leaves files of this size on disk and reads them into memory afterwards. So the time to the first answer hardly grows with the
 * collection. Reading and verifying a smaller file takes a few milliseconds.
 */
const LATER_BYTES = 2 ** 22
/** How many files may be open to be read page by page, whatever the system allows. */
const MAX_PAGED_FILES = 1_000
/** The share of the system's limit on open files. */
const PAGED_SHARE = 1 / 8
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

/** Returns how many files may be open to be read page by page, so that enough handles are left for connections and for LanceDB. */
export function maxPagedFiles(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | string } } }
  const handles = Number(userLimits?.open_files.soft ?? Infinity)
  return Number.isNaN(handles) ? MAX_PAGED_FILES : Math.min(MAX_PAGED_FILES, Math.floor(handles * PAGED_SHARE))
}

/** What the segments of a project take. */
interface ProjectUse {
  bytes: number
  pagedFiles: number
  /** The files in memory that may leave it. */
  large: readonly SharedFile[]
}

/** Counts the memory of all segments, so that a change costs only as much as its own projects. */
export class MemoryUse {
  readonly #limits: MemoryLimits
  readonly #projects = new Map<string, ProjectUse>()
  readonly #withLarge = new Set<string>()
  #bytes = 0
  #pagedFiles = 0

  constructor(limits: MemoryLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Notes the segments that a project has now. */
  note(projectId: string, segments: readonly SharedSegment[]): void {
    const files = segments.flatMap(({ words, vectors }) => [words, vectors])
    const use: ProjectUse = {
      bytes: segments.reduce((sum, segment) => sum + memoryOfSegment(segment), 0),
      pagedFiles: files.filter((file) => isPaged(file) && hasOwnHandle(file)).length,
      large: files.filter((file) => !isPaged(file) && memoryOf(file) >= MIN_PAGED_BYTES),
    }
    const before = this.#projects.get(projectId)
    this.#bytes += use.bytes - (before?.bytes ?? 0)
    this.#pagedFiles += use.pagedFiles - (before?.pagedFiles ?? 0)
    if (segments.length > 0) this.#projects.set(projectId, use)
    else this.#projects.delete(projectId)
    if (use.large.length > 0) this.#withLarge.add(projectId)
    else this.#withLarge.delete(projectId)
  }

  /** Returns the largest files in memory, by project, that have to leave it so that the others fit. The smallest files are the newest. */
  filesToLeaveOnDisk(): Map<string, Set<SharedFile>> {
    const { sharedBytes, maxPagedFiles } = this.#limits
    const leaving = new Map<string, Set<SharedFile>>()
    let [bytes, pagedFiles] = [this.#bytes, this.#pagedFiles]
    if (bytes <= sharedBytes || pagedFiles >= maxPagedFiles) return leaving
    const large = [...this.#withLarge].flatMap((projectId) =>
      this.#projects.get(projectId)!.large.map((file) => ({ projectId, file })),
    )
    for (const { projectId, file } of large.sort((a, b) => memoryOf(b.file) - memoryOf(a.file))) {
      if (bytes <= sharedBytes || pagedFiles >= maxPagedFiles) break
      bytes -= memoryOf(file)
      pagedFiles++
      leaving.set(projectId, (leaving.get(projectId) ?? new Set()).add(file))
    }
    return leaving
  }
}

/** Returns the size from which on a start leaves files on disk, so that all smaller files fit into memory and are read quickly. */
export function smallestOnDisk(
  sizes: readonly number[],
  { sharedBytes, maxPagedFiles, laterBytes = LATER_BYTES }: MemoryLimits,
): number {
  if (maxPagedFiles === 0) return Infinity
  const descending = sizes.toSorted((a, b) => b - a)
  let bytes = 0
  const tooLarge = descending.findLast((size) => (bytes += size) > sharedBytes) ?? Infinity
  return Math.max(Math.min(tooLarge, laterBytes), MIN_PAGED_BYTES, descending[maxPagedFiles - 1] ?? 0)
}
