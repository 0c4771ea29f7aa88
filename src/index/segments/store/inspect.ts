import { join } from 'node:path'
import { isDocsearchError } from '../../../core/errors.ts'
import { DeletionBitmap } from '../bitmap.ts'
import { SEGMENT } from '../format.ts'
import { isPaged, openable, type SharedFile } from '../paged-file.ts'
import { type FileKind, type SectionTable, verifyLarge } from '../sections.ts'
import { Segment } from '../segment.ts'
import { VECTORS } from '../vectors/format.ts'
import { SegmentVectors } from '../vectors/segment-vectors.ts'
import {
  closePaged,
  deletionsFile,
  MANIFEST,
  namesIn,
  readerOf,
  readShared,
  readVectors,
  vectorsFile,
  wordsFile,
} from './files.ts'
import { isDamage, openFile, readDeletions, readManifest } from './load.ts'
import type { Manifest, ManifestPlace, ManifestSegment } from './manifest.ts'
import type { ProjectSegments, SharedSegment } from './project-segments.ts'
import { StoredSegment } from './stored-segment.ts'

/** Larger files stay on disk, and their large sections are read in parts. */
const OPTIONS = { smallestOnDisk: 8_000_000, cacheBytes: 8_000_000 }
/** A daemon can replace files while they are read. Then the manifest has changed too. */
const ATTEMPTS = 3

export interface InspectedProject {
  /** The segments that are whole. Call `close` when they are no longer used. */
  project: ProjectSegments
  damage: { file: string; message: string }[]
  close(): void
}

/** Reads and verifies every file of a project's segments, without changing any. A daemon may work with them at the same time. */
export async function inspectProject(folder: string, place: ManifestPlace): Promise<InspectedProject> {
  for (let attempt = 1; ; attempt++) {
    const before = await manifestOf(folder, place)
    const inspected = await inspectFiles(folder, before)
    if (inspected.damage.length === 0 || attempt === ATTEMPTS) return inspected
    const after = await manifestOf(folder, place)
    if (JSON.stringify(before) === JSON.stringify(after)) return inspected
    inspected.close()
  }
}

export interface InspectedSegment extends Pick<InspectedProject, 'damage' | 'close'> {
  /** Null when a file is damaged. */
  segment: SharedSegment | null
}

/** Reads and verifies the files of one segment in a folder. Call `close` when the segment is no longer used. */
export async function inspectSegment(folder: string, entry: ManifestSegment): Promise<InspectedSegment> {
  const files = new SegmentFiles(folder)
  const stored = await files.inspect(entry)
  return { segment: stored?.shared ?? null, damage: files.damage, close: () => files.close() }
}

type FoundManifest = { manifest: Manifest | null; damage: string | null; projectId: string }

/** The manifest is null when it is damaged, and when the folder has none: then it is left over from a crash. */
async function manifestOf(folder: string, place: ManifestPlace): Promise<FoundManifest> {
  const { projectId } = place
  try {
    if (!(await namesIn(folder)).includes(MANIFEST)) return { manifest: null, damage: null, projectId }
    return { manifest: await readManifest(folder, place), damage: null, projectId }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { manifest: null, damage: messageOf(error), projectId }
  }
}

async function inspectFiles(folder: string, { manifest, damage, projectId }: FoundManifest): Promise<InspectedProject> {
  const files = new SegmentFiles(folder)
  if (damage !== null) files.damage.push({ file: MANIFEST, message: damage })
  const segments: StoredSegment[] = []
  for (const entry of manifest?.segments ?? []) {
    const segment = await files.inspect(entry)
    if (segment !== null) segments.push(segment)
  }
  const isIncomplete = files.damage.length > 0 || manifest?.isIncomplete === true
  const project = { projectId, segments: segments.map(({ shared }) => shared), isIncomplete }
  return { project, damage: files.damage, close: () => files.close() }
}

/** Reads the files of segments, and keeps them open. */
class SegmentFiles {
  readonly damage: InspectedProject['damage'] = []
  readonly #folder: string
  readonly #open: SharedFile[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns null for a segment that has a damaged file. Reads its other files nevertheless. */
  async inspect({ name, generation, ...entry }: ManifestSegment): Promise<StoredSegment | null> {
    const [wordsName, vectorsName, deletionsName] = [wordsFile(name), vectorsFile(name), deletionsFile(name, generation)]
    const words = await this.#whole(wordsName, async () => {
      const file = await this.#read(SEGMENT, readShared, wordsName, entry.words)
      return { file, segment: new Segment(openable(file)) }
    })
    const vectors = await this.#whole(vectorsName, async () => {
      const file = await this.#read(VECTORS, readVectors, vectorsName, entry.vectors)
      return { file, vectors: new SegmentVectors(openable(file)) }
    })
    const deletions =
      entry.deletions === null
        ? { file: null }
        : await this.#whole(deletionsName, async () => {
            const file = await readDeletions(join(this.#folder, deletionsName), { name, generation, ...entry })
            return { file, bitmap: DeletionBitmap.open(new Uint8Array(file)) }
          })
    if (words === null || vectors === null || deletions === null) return null
    return this.#whole(wordsName, () =>
      StoredSegment.open({ name, words: words.file, vectors: vectors.file, deletions: deletions.file, generation }),
    )
  }

  close(): void {
    this.#open.forEach(closePaged)
  }

  async #read<T extends SectionTable>(
    kind: FileKind<T>,
    read: (path: string) => Promise<SharedFile>,
    name: string,
    identity: ManifestSegment['words'],
  ): Promise<SharedFile> {
    const file = await openFile(kind, read, join(this.#folder, name), identity, OPTIONS)
    this.#open.push(file)
    if (isPaged(file)) verifyLarge(kind, file, readerOf(file))
    return file
  }

  /** Returns null for a damaged file. */
  async #whole<T>(file: string, read: () => Promise<T> | T): Promise<T | null> {
    try {
      return await read()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.damage.push({ file, message: messageOf(error) })
      return null
    }
  }
}

/** Returns what is wrong, to be put behind the name of the file. */
function messageOf(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'is missing'
  const fault = isDocsearchError(error, 'index_corrupt') ? error.details['fault'] : undefined
  return typeof fault === 'string' ? fault : `can't be read: ${(error as Error).message}`
}
