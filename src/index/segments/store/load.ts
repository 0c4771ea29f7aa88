import { readFile, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { isDocsearchError } from '../../../core/errors.ts'
import { SEGMENT } from '../format.ts'
import { openable, type SharedFile } from '../paged-file.ts'
import { type RemoteFile, RemoteFileMissing } from '../remote-file.ts'
import { check, type FileIdentity, type FileKind, type SectionTable } from '../sections.ts'
import { Segment } from '../segment.ts'
import { VECTORS } from '../vectors/format.ts'
import { SegmentVectors } from '../vectors/segment-vectors.ts'
import {
  closePaged,
  deletionsFile,
  identityOfFile,
  MANIFEST,
  namesIn,
  openPaged,
  openRemote,
  readShared,
  readVectors,
  remove,
  removeFolder,
  sizeOfFile,
  vectorsFile,
  wordsFile,
} from './files.ts'
import { type Manifest, type ManifestPlace, type ManifestSegment, parseManifest } from './manifest.ts'
import type { SharedSegment } from './project-segments.ts'
import type { Shares } from './shares.ts'
import { StoredProject } from './stored-project.ts'
import { StoredSegment } from './stored-segment.ts'

export interface LoadOptions {
  /** The segments that are open already, by name. */
  known: ReadonlyMap<string, SharedSegment>
  /** From this size on, the large sections of a file stay on disk. */
  smallestOnDisk: number
  /** How many bytes of pages each thread may keep of the files on disk. */
  cacheBytes: number
  /** See `Shares.remoteFile`. */
  remoteFile?: (file: string, size: number) => RemoteFile | null
}

/**
 * Reads the files of a project. Skips damaged segments; the project is then incomplete. If the manifest is damaged, nothing says which files
 * were in use, so this removes the whole folder. Removes everything that the manifest does not name.
 */
export async function loadProject(
  folder: string,
  place: ManifestPlace,
  { shares = null, ...given }: Omit<LoadOptions, 'remoteFile'> & { shares?: Shares | null },
): Promise<{ project: StoredProject | null; damage: unknown[] }> {
  const remoteFile = (file: string, size: number) => shares?.remoteFile(place.projectId, file, size) ?? null
  const options = { ...given, remoteFile }
  const damage: unknown[] = []
  const orDamage = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      if (!isDamage(error)) throw error
      damage.push(error)
      return null
    }
  }
  const files = await namesIn(folder)
  // A folder without a manifest is left over from a first commit or a deletion that a crash has interrupted.
  const manifest = files.includes(MANIFEST) ? await orDamage(readManifest(folder, place)) : null
  const segments: StoredSegment[] = []
  const named = new Set<string>([MANIFEST])
  for (const entry of manifest?.segments ?? []) {
    const segment = await orDamage(readSegment(folder, entry, options))
    if (segment === null) continue
    segments.push(segment)
    for (const file of filesOf(entry)) named.add(file)
  }
  const isIncomplete = damage.length > 0 || manifest?.isIncomplete === true
  if (manifest === null || (segments.length === 0 && !isIncomplete)) {
    await removeFolder(folder)
    return { project: null, damage }
  }
  for (const file of files) if (!named.has(file)) await remove(join(folder, file))
  return { project: new StoredProject(folder, manifest, { segments, isIncomplete }, shares), damage }
}

/** A missing or unreadable file is damaged. Other errors, such as too many open files, say nothing about the files. */
export function isDamage(error: unknown): boolean {
  if (error instanceof RemoteFileMissing) return true
  return isDocsearchError(error, 'index_corrupt') || ['ENOENT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')
}

export async function readManifest(folder: string, place: ManifestPlace): Promise<Manifest> {
  const path = join(folder, MANIFEST)
  await sizeOfFile(path)
  return parseManifest(await readFile(path, 'utf8'), place)
}

async function readSegment(folder: string, entry: ManifestSegment, options: LoadOptions): Promise<StoredSegment> {
  const { name, generation } = entry
  const { words, vectors } = options.known.get(name) ?? (await readVerified(folder, entry, options))
  const deletions = entry.deletions === null ? null : await readDeletions(join(folder, deletionsFile(name, generation)), entry)
  return StoredSegment.open({ name, words, vectors, deletions, generation })
}

export async function readDeletions(path: string, { deletions }: ManifestSegment): Promise<SharedArrayBuffer> {
  await checkSize(path, deletions!)
  const file = await readShared(path)
  checkIdentity(file, deletions!)
  return file
}

/** Checks the size before the file is read, so that a wrong file does not take memory. */
async function checkSize(path: string, { bytes }: FileIdentity): Promise<void> {
  check((await sizeOfFile(path)) === bytes, 'has the wrong length')
}

function checkIdentity(file: SharedFile, { checksum }: FileIdentity): void {
  check(identityOfFile(file).checksum === checksum, 'is not the file that the manifest names')
}

/** Reads and verifies the words and vectors of a segment, except for the sections that stay on disk. */
async function readVerified(
  folder: string,
  { name, ...entry }: ManifestSegment,
  options: LoadOptions,
): Promise<Pick<SharedSegment, 'words' | 'vectors'>> {
  const words = await openFile(SEGMENT, readShared, join(folder, wordsFile(name)), entry.words, options)
  let vectors: SharedFile | null = null
  try {
    vectors = await openFile(VECTORS, readVectors, join(folder, vectorsFile(name)), entry.vectors, options)
    const { passages } = new Segment(openable(words))
    check(new SegmentVectors(openable(vectors)).passages === passages, 'has vectors of another segment')
    return { words, vectors }
  } catch (error) {
    closePaged(words)
    if (vectors !== null) closePaged(vectors)
    throw error
  }
}

/** Opens a file of a segment and verifies it, except for sections that stay on disk. */
export async function openFile<T extends SectionTable>(
  kind: FileKind<T>,
  read: (path: string) => Promise<SharedFile>,
  path: string,
  identity: FileIdentity,
  options: Pick<LoadOptions, 'smallestOnDisk' | 'cacheBytes' | 'remoteFile'>,
): Promise<SharedFile> {
  const remote = options.remoteFile?.(basename(path), identity.bytes) ?? null
  if (remote === null) await checkSize(path, identity)
  const file = await openAnywhere()
  async function openAnywhere(): Promise<SharedFile> {
    if (remote !== null) return openRemote(kind, basename(path, extname(path)), remote, options.cacheBytes)
    return identity.bytes >= options.smallestOnDisk ? openPaged(kind, path, options.cacheBytes) : read(path)
  }
  try {
    checkIdentity(file, identity)
    return file
  } catch (error) {
    closePaged(file)
    throw error
  }
}

/** Returns the sizes of the files with words and vectors in a folder. */
export async function sizesIn(folder: string): Promise<number[]> {
  const files = (await namesIn(folder)).filter((name) => name.endsWith(wordsFile('')) || name.endsWith(vectorsFile('')))
  return Promise.all(files.map(async (file) => (await stat(join(folder, file))).size))
}

function filesOf({ name, generation }: ManifestSegment): string[] {
  return [wordsFile(name), vectorsFile(name), ...(generation === 0 ? [] : [deletionsFile(name, generation)])]
}
