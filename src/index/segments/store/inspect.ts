import { join } from 'node:path'
import { isDocsearchError } from '../../../core/errors.ts'
import { SEGMENT } from '../format.ts'
import { isPaged, openable, type SharedFile } from '../paged-file.ts'
import { type FileKind, type SectionTable, verifyLarge } from '../sections.ts'
import { Segment } from '../segment.ts'
import { VECTORS } from '../vectors/format.ts'
import { SegmentVectors } from '../vectors/segment-vectors.ts'
import { closePaged, deletionsFile, MANIFEST, namesIn, readerOf, readShared, readVectors, vectorsFile, wordsFile } from './files.ts'
import { isDamage, openFile, readDeletions, readManifest } from './load.ts'
import type { Manifest, ManifestPlace, ManifestSegment } from './manifest.ts'
import type { ProjectSegments } from './project-segments.ts'
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

async function inspectFiles(folder: string, { manifest, damage: damaged, projectId }: FoundManifest): Promise<InspectedProject> {
  const damage: InspectedProject['damage'] = damaged === null ? [] : [{ file: MANIFEST, message: damaged }]
  const segments: StoredSegment[] = []
  const files: SharedFile[] = []
  /** Returns null for a damaged file. */
  async function whole<T>(file: string, read: () => Promise<T> | T): Promise<T | null> {
    try {
      return await read()
    } catch (error) {
      if (!isDamage(error)) throw error
      damage.push({ file, message: messageOf(error) })
      return null
    }
  }
  async function opened<T extends SectionTable>(
    kind: FileKind<T>,
    read: (path: string) => Promise<SharedFile>,
    { name, identity }: { name: string; identity: ManifestSegment['words'] },
  ): Promise<SharedFile | null> {
    return whole(name, async () => {
      const file = await openFile(kind, read, join(folder, name), identity, OPTIONS)
      files.push(file)
      if (isPaged(file)) verifyLarge(kind, file, readerOf(file.handle))
      return file
    })
  }
  for (const entry of manifest?.segments ?? []) {
    const { name, generation } = entry
    const words = await opened(SEGMENT, readShared, { name: wordsFile(name), identity: entry.words })
    const vectors = await opened(VECTORS, readVectors, { name: vectorsFile(name), identity: entry.vectors })
    const isWhole = [
      words !== null && (await whole(wordsFile(name), () => new Segment(openable(words)))),
      vectors !== null && (await whole(vectorsFile(name), () => new SegmentVectors(openable(vectors)))),
    ].every(Boolean)
    const file = deletionsFile(name, generation)
    const deletions = entry.deletions === null ? null : await whole(file, () => readDeletions(join(folder, file), entry))
    if (!isWhole || (entry.deletions !== null && deletions === null)) continue
    const stored = await whole(wordsFile(name), () =>
      StoredSegment.open({ name, words: words!, vectors: vectors!, deletions, generation }),
    )
    if (stored !== null) segments.push(stored)
  }
  const isIncomplete = damage.length > 0 || manifest?.isIncomplete === true
  return {
    project: { projectId, segments: segments.map(({ shared }) => shared), isIncomplete },
    damage,
    close: () => files.forEach(closePaged),
  }
}

/** Returns what is wrong, to be put behind the name of the file. */
function messageOf(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'is missing'
  const fault = isDocsearchError(error, 'index_corrupt') ? error.details['fault'] : undefined
  return typeof fault === 'string' ? fault : `can't be read: ${(error as Error).message}`
}
