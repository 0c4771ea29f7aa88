import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { DamagedSegment } from './failures.ts'
import { type RemoteFile, RemoteFileMissing, readRemote } from './remote-file.ts'
import { bytesOfKernelFile, type KernelFile } from './vectors/kernel-memory.ts'

/**
 * A file whose large sections stay on disk (sections.ts). Each thread reads the pages of these sections that it needs. The handle belongs to
 * the whole process. It stays open until no thread reads the file any more, so the file may be deleted before that.
 */
export interface PagedFile {
  /** The name of the segment. */
  segment: string
  /** The header and the small sections, one after another. */
  resident: SharedArrayBuffer
  handle: number
  /** Length of the file. */
  size: number
  /** How many bytes of pages a thread may keep, of all files together. */
  cacheBytes: number
  /** Set if the large sections are in an object store. `handle` then is that of the cache, which stays open. */
  remote?: RemoteFile
}

/** A file with its own handle. */
export function hasOwnHandle(file: PagedFile): boolean {
  return file.remote === undefined
}

/** A file of a segment that threads share. No thread writes to the memory. */
export type SharedFile = SharedArrayBuffer | KernelFile | PagedFile

export function isPaged(file: SharedFile | Uint8Array): file is PagedFile {
  return 'handle' in file
}

/** Returns how much memory a file takes, without the pages that threads keep. */
export function memoryOf(file: SharedFile): number {
  return isPaged(file) ? file.resident.byteLength : bytesInMemory(file).length
}

/** Returns a file in the form that the constructors of `Segment` and `SegmentVectors` take. */
export function openable(file: SharedFile): Uint8Array | PagedFile {
  return isPaged(file) ? file : bytesInMemory(file)
}

/** Returns the bytes of a file. From then on, V8 counts their memory in this thread. */
export function bytesInMemory(file: SharedArrayBuffer | KernelFile): Uint8Array {
  const bytes = 'memory' in file ? bytesOfKernelFile(file) : new Uint8Array(file)
  countMemory(bytes.buffer)
  return bytes
}

export const PAGE_BYTES = 65_536
/** More pages than any section has: a section of 256 GB would have this many. */
const MAX_PAGES = 2 ** 22

/** Keeps the pages that were used last. Each thread has a cache of its own. */
export class PageCache {
  /** Pages that were used longest ago come first. */
  readonly #pages = new Map<number, Uint8Array>()
  #sections = 0
  /** How often a page was read from a file. */
  reads = 0

  get bytes(): number {
    return this.#pages.size * PAGE_BYTES
  }

  /** Returns a new number, by which the cache knows the pages of a section. They leave the cache some time after the last use of the section. */
  addSection(): number {
    return ++this.#sections
  }

  /** Returns a page. The next call may overwrite it. Throws `DamagedSegment` when the page is damaged. */
  page(number: number, page: number, section: PagedSection): Uint8Array {
    const key = number * MAX_PAGES + page
    const known = this.#pages.get(key)
    this.#pages.delete(key)
    const bytes = known ?? this.#free(section.file.cacheBytes)
    if (known === undefined) {
      this.reads++
      readPage(section, page, bytes)
    }
    this.#pages.set(key, bytes)
    return bytes
  }

  /** Returns memory for a page. When the cache is full, reuses the memory of the page that was used longest ago. */
  #free(cacheBytes: number): Uint8Array {
    let free: Uint8Array | undefined
    for (const [key, bytes] of this.#pages) {
      if ((this.#pages.size + 1) * PAGE_BYTES <= cacheBytes) break
      this.#pages.delete(key)
      free = bytes
    }
    return free ?? new Uint8Array(PAGE_BYTES)
  }
}

export const pageCache = new PageCache()

/** A section that stays on disk: its position in the file, and the checksum of each of its pages. */
interface PagedSection {
  file: PagedFile
  offset: number
  length: number
  checksums: Uint32Array
}

export function countPages(length: number): number {
  return Math.ceil(length / PAGE_BYTES)
}

/** Returns the CRC32 of each page of a section. */
export function checksumsOfPages(bytes: Uint8Array): Uint32Array {
  return Uint32Array.from({ length: countPages(bytes.length) }, (_, page) =>
    crc32(bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)),
  )
}

/**
 * Reads a page of a section into the beginning of `into`. Verifies the page each time, so that a search never ranks by damaged bytes: docsearch
 * verifies the file only once, some time after the start, and a disk may fail later.
 */
function readPage({ file, offset, length, checksums }: PagedSection, page: number, into: Uint8Array): void {
  const start = page * PAGE_BYTES
  const bytes = into.subarray(0, Math.min(PAGE_BYTES, length - start))
  try {
    readFromFile(file, bytes, offset + start)
  } catch (error) {
    const isDamaged = error instanceof RemoteFileMissing || (error as NodeJS.ErrnoException).code === 'EIO'
    throw isDamaged ? new DamagedSegment(file.segment, error) : error
  }
  if (crc32(bytes) !== checksums[page]) throw new DamagedSegment(file.segment)
}

/** A section that stays on disk and is read page by page. */
export class PagedBytes {
  readonly length: number
  readonly #section: PagedSection
  readonly #number = pageCache.addSection()
  #found = new Int8Array(0)

  constructor(file: PagedFile, { offset, length, checksums }: Omit<PagedSection, 'file'>) {
    this.#section = { file, offset, length, checksums }
    this.length = length
  }

  /** Copies the bytes from `start` up to `end`. Past the end of the section, `into` keeps its bytes: a new array has zeros there. */
  copy(start: number, end: number, into = new Uint8Array(end - start)): Uint8Array {
    const last = Math.min(end, this.length)
    let to = 0
    for (let at = start; at < last;) {
      const page = Math.floor(at / PAGE_BYTES)
      const bytes = pageCache.page(this.#number, page, this.#section)
      const [from, length] = [at - page * PAGE_BYTES, Math.min(last, (page + 1) * PAGE_BYTES) - at]
      into.set(bytes.subarray(from, from + length), to)
      to += length
      at += length
    }
    return into
  }

  /** Returns the bytes from `start` up to `end`. The next call overwrites them. */
  read(start: number, end: number): Int8Array {
    if (end - start > this.#found.length) this.#found = new Int8Array(2 * (end - start))
    const { buffer } = this.#found
    this.copy(start, end, new Uint8Array(buffer, 0, end - start))
    return this.#found.subarray(0, end - start)
  }
}

/** Fills `bytes` from a position in a file, wherever the file is. */
export function readFromFile(file: Pick<PagedFile, 'handle' | 'remote'>, bytes: Uint8Array, position: number): void {
  if (file.remote === undefined) readFully(file.handle, bytes, position)
  else readRemote(file.remote, bytes, position)
}

/** Fills `bytes` from a position in a file. Nothing else writes to the file, so a short read means that the file system is damaged. */
function readFully(handle: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) {
    const read = readSync(handle, bytes, at, Math.min(bytes.length - at, MAX_READ_BYTES), position + at)
    if (read === 0) throw Object.assign(new Error('EIO: a file of the search index ends early'), { code: 'EIO' })
    at += read
  }
}

/** The system reads at most 2 GB at once. */
const MAX_READ_BYTES = 2 ** 30

/** Smaller buffers don't matter. */
const MIN_COUNTED_BYTES = 65_536

/** For each shared buffer that this thread knows: a private buffer of the same size. */
const counterparts = new WeakMap<ArrayBufferLike, ArrayBuffer>()

/**
 * Makes V8 count shared memory in this thread. V8 looks for garbage when buffers have taken much memory, but counts only private ones:
 * segments that were merged or replaced would stay in memory until something else led to a collection. So each shared buffer gets a private
 * counterpart of the same size that lives as long. A resizable buffer is address space that nobody touches, so it takes no memory.
 */
export function countMemory(shared: ArrayBufferLike): void {
  const { byteLength } = shared
  if (byteLength < MIN_COUNTED_BYTES || counterparts.has(shared)) return
  counterparts.set(shared, new ArrayBuffer(byteLength, { maxByteLength: byteLength }))
}
