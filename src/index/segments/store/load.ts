import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDocsearchError } from '../../../core/errors.ts'
import { check } from '../sections.ts'
import { Segment } from '../segment.ts'
import { SegmentVectors } from '../vectors/segment-vectors.ts'
import { deletionsFile, MANIFEST, readShared, removeFolder, vectorsFile, wordsFile } from './files.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import type { SharedSegment } from './project-segments.ts'
import { StoredProject } from './stored-project.ts'
import { StoredSegment } from './stored-segment.ts'

type Entry = Manifest['segments'][number]

/** The segments that are in memory already, by name. */
export type KnownSegments = ReadonlyMap<string, SharedSegment>

/**
 * Reads the files of a project. Leaves out a damaged segment, and the project is incomplete. With a damaged manifest nothing is left, because
 * nothing says which files were in use. Removes files that the manifest does not name.
 */
export async function loadProject(
  folder: string,
  projectId: string,
  known: KnownSegments,
): Promise<{ project: StoredProject | null; damage: unknown[] }> {
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
  const files = await readdir(folder)
  const manifest = files.length === 0 ? null : await orDamage(readManifest(folder))
  const segments: StoredSegment[] = []
  const named = new Set<string>([MANIFEST])
  for (const entry of manifest?.segments ?? []) {
    const segment = await orDamage(readSegment(folder, entry, known))
    if (segment === null) continue
    segments.push(segment)
    for (const file of filesOf(entry)) named.add(file)
  }
  const isIncomplete = damage.length > 0 || manifest?.isIncomplete === true
  if (manifest === null || (segments.length === 0 && !isIncomplete)) {
    await removeFolder(folder)
    return { project: null, damage }
  }
  for (const file of files) if (!named.has(file)) await rm(join(folder, file), { force: true })
  return { project: new StoredProject(folder, { projectId, ownerId: manifest.ownerId }, { segments, isIncomplete }), damage }
}

/** A missing file is damage as well. Anything else, such as too many open files, says nothing about the files. */
function isDamage(error: unknown): boolean {
  return isDocsearchError(error, 'index_corrupt') || ['ENOENT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')
}

async function readManifest(folder: string): Promise<Manifest> {
  return parseManifest(await readFile(join(folder, MANIFEST), 'utf8'))
}

async function readSegment(folder: string, { name, generation }: Entry, known: KnownSegments): Promise<StoredSegment> {
  const { words, vectors } = known.get(name) ?? (await readVerified(folder, name))
  const deletions = generation === 0 ? null : await readShared(join(folder, deletionsFile(name, generation)))
  const segment = StoredSegment.open({ name, words, vectors, deletions, generation })
  check(segment.deletions.generation === generation, 'has another generation')
  return segment
}

async function readVerified(folder: string, name: string): Promise<Pick<SharedSegment, 'words' | 'vectors'>> {
  const [words, vectors] = await Promise.all([
    readShared(join(folder, wordsFile(name))),
    readShared(join(folder, vectorsFile(name))),
  ])
  const segment = new Segment(new Uint8Array(words))
  check(new SegmentVectors(new Uint8Array(vectors)).passages === segment.passages, 'has vectors of another segment')
  return { words, vectors }
}

function filesOf({ name, generation }: Entry): string[] {
  return [wordsFile(name), vectorsFile(name), ...(generation === 0 ? [] : [deletionsFile(name, generation)])]
}
