import { lowerPriorityOfThread } from '../../../core/priority.ts'
import { answerCalls } from '../../../core/thread.ts'
import { basename, join } from 'node:path'
import { readFailure } from '../failures.ts'
import { toNewDocuments } from './new-documents.ts'
import { withTerms } from '../../../text/passage-terms.ts'
import type { StoredPassage } from '../../../core/passage.ts'
import { DeletionBitmap } from '../bitmap.ts'
import { mergeSegments } from '../merge.ts'
import { SEGMENT } from '../format.ts'
import { isPaged } from '../paged-file.ts'
import { type FileKind, readSections, type SectionTable, verifyLarge } from '../sections.ts'
import { VECTORS } from '../vectors/format.ts'
import { SegmentReader } from '../segment-reader.ts'
import { Segment } from '../segment.ts'
import { mergeVectors } from '../vectors/build.ts'
import { SegmentVectors } from '../vectors/segment-vectors.ts'
import {
  bytesOf,
  readerOf as readFrom,
  readPaged,
  removeFiles,
  toShared,
  toSharedVectors,
  vectorsFile,
  wordsFile,
  writeSynced,
} from './files.ts'
import type { SegmentPart, SharedSegment } from './project-segments.ts'
import type { BackgroundCalls, NewDocument, IndexFolder } from './protocol.ts'
import { openShares } from './open-shares.ts'
import type { Shares } from './shares.ts'
import { buildSegment, newSegment } from './stored-segment.ts'

/** Opened when it is needed. This thread works for one index. */
let shares: Promise<Shares> | null = null

lowerPriorityOfThread()
answerCalls<BackgroundCalls>({
  async merge({ sources, ...place }) {
    // The merge reads whole files, and the sections on disk may not have been verified yet.
    const { bytes, numbers } = mergeSegments(sources.map(readerOf))
    const words = toShared(bytes)
    const { passages } = new Segment(new Uint8Array(words), { isVerified: true })
    const vectors = sources.map(({ vectors }, i) => ({
      vectors: new SegmentVectors(bytesOf(vectors), { isVerified: !isPaged(vectors) }),
      numbers: numbers[i]!,
    }))
    const segment = newSegment(words, toSharedVectors(mergeVectors(vectors, passages)), passages)
    return { segment: await write(segment, place), numbers }
  },

  rebuild: ({ rows, ...place }) => write(buildSegment(toDocuments(rows), place.layout), place),

  unnamed: async (place) => (await sharesOf(place)!).unnamed(),

  async delete({ files, ...place }) {
    await (await sharesOf(place)!).delete(files)
    return null
  },

  read: ({ part, file }) =>
    reading(() => {
      const read = readPaged(file, part)
      readSections(KINDS[part], bytesOf(read))
      return read
    }),

  verify: ({ part, file }) =>
    reading(() => {
      verifyLarge(KINDS[part], file, readFrom(file))
      return null
    }),
})

const KINDS: Record<SegmentPart, FileKind<SectionTable>> = { words: SEGMENT, vectors: VECTORS }

/** Runs `read`. A file that can't be read is damaged. */
function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw readFailure(error)
  }
}

function readerOf({ words, deletions }: SharedSegment): SegmentReader {
  const segment = new Segment(bytesOf(words), { isVerified: !isPaged(words) })
  return new SegmentReader(
    segment,
    deletions === null ? DeletionBitmap.none(segment.sections) : DeletionBitmap.open(new Uint8Array(deletions)),
  )
}

/** Writes the files of a segment. No manifest names them yet, so the next start removes them after a crash. */
async function write(
  shared: SharedSegment,
  { projectId, ...place }: IndexFolder & { projectId: string },
): Promise<SharedSegment> {
  const [words, vectors] = [wordsFile(shared.name), vectorsFile(shared.name)].map((file) => join(place.folder, projectId, file))
  try {
    const others = await sharesOf(place)
    await Promise.all([store(words!, bytesOf(shared.words)), store(vectors!, bytesOf(shared.vectors))])
    async function store(path: string, bytes: Uint8Array): Promise<void> {
      const file = basename(path)
      const isRemote = others?.remoteFile(projectId, file, bytes.length) != null
      await Promise.all([isRemote || writeSynced(path, bytes), others?.upload(projectId, file, bytes)])
    }
  } catch (error) {
    await removeFiles([words!, vectors!])
    throw error
  }
  return shared
}

/** Returns null for an instance on one machine. The writer thread decides which of the files that this thread has written stay on the disk. */
function sharesOf({ shared, folder }: IndexFolder): Promise<Shares> | null {
  if (shared === null) return null
  const { maxCopyBytes: _maxCopyBytes, ...place } = shared
  shares ??= openShares(place, folder).catch((error: unknown) => {
    shares = null
    throw error
  })
  return shares
}

/** Analyses stored passages of one project again. */
function toDocuments(rows: readonly { row: bigint; passage: StoredPassage }[]): readonly NewDocument[] {
  const passages = rows.map(({ passage }) => withTerms(passage))
  const ofProject = toNewDocuments(
    passages,
    rows.map(({ row }) => row),
  )
  return ofProject.flatMap(({ documents }) => documents)
}
