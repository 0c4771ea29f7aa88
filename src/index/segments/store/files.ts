import { closeSync, fstatSync, openSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { killPoint } from '../../../core/kill-point.ts'
import { syncFolder } from '../../../core/sync.ts'
import {
  bytesInMemory,
  hasOwnHandle,
  isPaged,
  type PagedFile,
  readFromFile,
  type SharedFile,
  countMemory,
} from '../paged-file.ts'
import type { RemoteFile } from '../remote-file.ts'
import { check, type FileIdentity, type FileKind, identityOf, readResident, type SectionTable } from '../sections.ts'
import type { SegmentPart } from './project-segments.ts'
import { allocateForKernel, type KernelFile, kernelFileOf } from '../vectors/kernel-memory.ts'

export const MANIFEST = 'manifest.json'
/** A manifest that is being written. */
export const NEW_MANIFEST = 'manifest.json.new'

/** The ending of the names of files with deletions. */
export const DELETIONS = '.del'

export function wordsFile(name: string): string {
  return `${name}.seg`
}

export function vectorsFile(name: string): string {
  return `${name}.vec`
}

export function deletionsFile(name: string, generation: number): string {
  return `${name}.${generation}${DELETIONS}`
}

/** Writes and syncs a file. Once its folder is synced as well, the file survives a power cut. */
export async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder, and syncs its parents so that it survives a power cut. */
export async function makeFolder(path: string): Promise<void> {
  try {
    // Not with `recursive`, because that reports a file system that is read-only as ENOENT.
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    await makeFolder(dirname(path))
    return makeFolder(path)
  }
  await syncFolder(dirname(path))
}

/**
 * Replaces the manifest of a folder in one step: after a crash, either the old or the new one is there. Sync the files that it names first. The
 * new manifest survives a power cut once the folder is synced.
 */
export async function writeManifest(folder: string, manifest: Uint8Array): Promise<void> {
  await writeSynced(join(folder, NEW_MANIFEST), manifest)
  await syncFolder(folder)
  killPoint('segments-written')
  await rename(join(folder, NEW_MANIFEST), join(folder, MANIFEST))
  killPoint('segments-switched')
}

/** Reads a file into memory that threads can share. */
export async function readShared(path: string): Promise<SharedArrayBuffer> {
  return readInto(path, (size) => new SharedArrayBuffer(size))
}

/** Reads a file of vectors into memory that threads, and if possible the kernel, can share. */
export async function readVectors(path: string): Promise<SharedArrayBuffer | KernelFile> {
  return readInto(path, (size) => allocateForKernel(size) ?? new SharedArrayBuffer(size))
}

async function readInto<T extends SharedArrayBuffer | KernelFile>(path: string, allocate: (size: number) => T): Promise<T> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const file = allocate(size)
    const bytes = bytesInMemory(file)
    for (let at = 0; at < size;) {
      const { bytesRead } = await handle.read(bytes, at, Math.min(size - at, MAX_READ_BYTES), at)
      // Nothing else writes to the file, so a short read means that the file system is damaged.
      if (bytesRead === 0) throw Object.assign(new Error(`EIO: ${path} ends early`), { code: 'EIO' })
      at += bytesRead
    }
    return file
  } finally {
    await handle.close()
  }
}

/** The system reads at most 2 GB at once. */
const MAX_READ_BYTES = 2 ** 30

/** Opens a file whose large sections stay on disk. Reads and verifies the small sections. */
export function openPaged<T extends SectionTable>(kind: FileKind<T>, path: string, cacheBytes: number): PagedFile {
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    const segment = basename(path, extname(path))
    return { segment, resident: readResident(kind, size, readerOf({ handle })), handle, size, cacheBytes }
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

/** Opens a file whose large sections stay in an object store. Fetches and verifies the small sections. */
export function openRemote<T extends SectionTable>(
  kind: FileKind<T>,
  segment: string,
  remote: RemoteFile,
  cacheBytes: number,
): PagedFile {
  const { size, cache } = remote
  const resident = readResident(kind, size, readerOf({ handle: cache.handle, remote }))
  return { segment, resident, handle: cache.handle, size, cacheBytes, remote }
}

/** Returns a function that reads a part of a file. */
export function readerOf(file: Pick<PagedFile, 'handle' | 'remote'>): (start: number, end: number) => Uint8Array {
  return (start, end) => {
    const bytes = new Uint8Array(end - start)
    if (bytes.length > 0) readFromFile(file, bytes, start)
    return bytes
  }
}

/** Reads a file completely that `openPaged` has opened, into memory that threads can share. */
export function readPaged(file: PagedFile, part: SegmentPart): SharedArrayBuffer | KernelFile {
  const read = (part === 'vectors' ? allocateForKernel(file.size) : null) ?? new SharedArrayBuffer(file.size)
  readFromFile(file, bytesInMemory(read), 0)
  return read
}

/** Returns all bytes of a file. */
export function bytesOf(file: SharedFile): Uint8Array {
  return isPaged(file) ? readerOf(file)(0, file.size) : bytesInMemory(file)
}

/** Returns what identifies the file of a segment among all other files. */
export function identityOfFile(file: SharedFile): FileIdentity {
  if (isPaged(file)) return identityOf(new Uint8Array(file.resident), file.size)
  const bytes = bytesInMemory(file)
  return identityOf(bytes, bytes.length)
}

/** Returns the size of a file. Throws `index_corrupt` for a folder, a link and anything else that docsearch does not write. */
export async function sizeOfFile(path: string): Promise<number> {
  const found = await lstat(path)
  check(found.isFile(), 'is not a file')
  return found.size
}

/** Closes a file if it is paged. No other thread may know it. */
export function closePaged(file: SharedFile): void {
  if (isPaged(file) && hasOwnHandle(file)) closeSync(file.handle)
}

/** Removes files that no manifest names. Ignores failures, because the next start tries again. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => remove(path).catch(() => {})))
}

/** Removes the folder of a project. Removes the manifest last: after a crash, the next start finds the same manifest and removes the rest. */
export async function removeFolder(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) if (name !== MANIFEST) await remove(join(folder, name))
  await remove(join(folder, MANIFEST))
  await rmdir(folder).catch(ignoreMissing)
}

/** Removes a file or a folder with everything in it. */
export async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Returns the names in a folder, none when it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? []
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Returns bytes in memory that threads can share. Copies nothing if they are there already. */
export function toShared(bytes: Uint8Array): SharedArrayBuffer {
  const { buffer } = bytes
  if (buffer instanceof SharedArrayBuffer && bytes.length === buffer.byteLength) {
    countMemory(buffer)
    return buffer
  }
  const shared = new SharedArrayBuffer(bytes.length)
  bytesInMemory(shared).set(bytes)
  return shared
}

/** Returns a file of vectors in memory that threads, and if possible the kernel, can share. Copies nothing if it is there already. */
export function toSharedVectors(bytes: Uint8Array): SharedArrayBuffer | KernelFile {
  const file = kernelFileOf(bytes)
  if (file === null) return toShared(bytes)
  bytesInMemory(file)
  return file
}
