import { basename, extname, join } from 'node:path'
import { syncFolder } from '../../../core/sync.ts'
import { SEGMENT } from '../format.ts'
import { bytesInMemory, isPaged, type SharedFile } from '../paged-file.ts'
import type { FileKind, SectionTable } from '../sections.ts'
import { VECTORS } from '../vectors/format.ts'
import {
  bytesOf,
  deletionsFile,
  identityOfFile,
  makeFolder,
  namesIn,
  NEW_MANIFEST,
  openPaged,
  openRemote,
  removeFiles,
  removeFolder,
  vectorsFile,
  wordsFile,
  writeManifest,
  writeSynced,
} from './files.ts'
import { formatManifest, type ManifestPlace } from './manifest.ts'
import type { ProjectSegments, SegmentPart } from './project-segments.ts'
import type { Shares } from './shares.ts'
import type { StoredSegment } from './stored-segment.ts'

/** Passages by the segment in which they were found. */
export type FoundPassages = ReadonlyMap<StoredSegment, readonly number[]>

export interface ProjectState {
  segments: readonly StoredSegment[]
  isIncomplete: boolean
}

/** The segments of one project, in memory and on disk. Only the writer thread uses this class. */
export class StoredProject {
  readonly projectId: string
  readonly #indexId: string
  readonly #folder: string
  readonly #shares: Shares | null
  #state: ProjectState
  /** The files that the manifest names, and files that have to be removed. */
  #files: ReadonlySet<string>

  /** With `shares`, other processes see every change before this one does. */
  constructor(folder: string, place: ManifestPlace, state: ProjectState, shares: Shares | null = null) {
    this.projectId = place.projectId
    this.#indexId = place.indexId
    this.#folder = folder
    this.#shares = shares
    this.#state = state
    this.#files = new Set(filesOf(state).keys())
  }

  get state(): ProjectState {
    return this.#state
  }

  get isEmpty(): boolean {
    return this.#state.segments.length === 0 && !this.#state.isIncomplete
  }

  shared(): ProjectSegments {
    const { projectId } = this
    const { segments, isIncomplete } = this.#state
    return { projectId, segments: segments.map(({ shared }) => shared), isIncomplete }
  }

  /** Returns the passages of these documents that are not deleted, by segment. */
  find(documentIds: ReadonlySet<string>): FoundPassages {
    const found = this.#state.segments.map((segment) => [segment, segment.passagesOf(documentIds)] as const)
    return new Map(found.filter(([, passages]) => passages.length > 0))
  }

  /** Leaves out a damaged segment. Its files are removed after the next manifest is written. */
  leaveOut(name: string): void {
    this.#state = { segments: this.#state.segments.filter(({ shared }) => shared.name !== name), isIncomplete: true }
  }

  /**
   * Writes the files that are new and switches to them in one step. Removes the files that are no longer needed, and the folder when no
   * segment is left. `isWritten` returns true for a segment whose files are already on the disk. If its files exceed the limit of the disk, they
   * are removed. When this rejects, nothing has changed, or everything has but may not survive a power cut.
   */
  async switchTo(next: ProjectState, isWritten: (segment: StoredSegment) => boolean = () => false): Promise<void> {
    const state = { ...next, segments: next.segments.filter(({ live }) => live > 0) }
    const [before, after] = [this.#files, filesOf(state)]
    const written = next.segments.filter(isWritten).flatMap(({ shared }) => [wordsFile(shared.name), vectorsFile(shared.name)])
    const there = new Set([...before, ...(await this.#present(written, after))])
    const added = [...after].filter(([file]) => !there.has(file))
    await makeFolder(this.#folder)
    const manifest = this.#manifest(state)
    try {
      await Promise.all(added.map(([file, bytes]) => this.#write(file, bytesOf(bytes))))
      // With shares, no manifest is needed on the disk: every start writes the one of the last commit.
      if (this.#shares === null) await writeManifest(this.#folder, manifest)
      else await this.#shares.commit(this.projectId, state.segments.length === 0 && !state.isIncomplete ? null : manifest)
    } catch (error) {
      await removeFiles(this.#paths([NEW_MANIFEST, ...written, ...added.map(([file]) => file)]))
      throw error
    }
    this.#state = state
    this.#files = new Set([...before, ...after.keys()])
    await syncFolder(this.#folder)
    this.#files = new Set(after.keys())
    // An empty folder that stays does no harm, and the next start removes it.
    if (this.isEmpty) await removeFolder(this.#folder).catch(() => {})
    else {
      // The thread that merges does not know how much room copies have, so it may have written too many.
      // Now that the commit has replaced files, `#isRemote` says which copies fit.
      const remote = written.filter((file) => after.has(file) && this.#isRemote(file, sizeOf(after.get(file)!)))
      await removeFiles(this.#paths([...remote, ...[...before, ...written].filter((file) => !after.has(file))]))
    }
  }

  /** Replaces files of a segment by the same files in memory. */
  keepInMemory(name: string, files: Partial<Record<SegmentPart, SharedFile>>): void {
    const segments = this.#state.segments.map((segment) =>
      segment.shared.name === name ? segment.withFiles({ ...segment.shared, ...files }) : segment,
    )
    this.#state = { ...this.#state, segments }
  }

  /** Drops the large sections of some files from memory. Threads then read them from disk. */
  leaveOnDisk(files: ReadonlySet<SharedFile>, cacheBytes: number): void {
    const segments = this.#state.segments.map((segment) => {
      const { name, words, vectors } = segment.shared
      if (!files.has(words) && !files.has(vectors)) return segment
      return segment.withFiles({
        words: files.has(words) ? (this.#openPaged(SEGMENT, wordsFile(name), sizeOf(words), cacheBytes) ?? words) : words,
        vectors: files.has(vectors)
          ? (this.#openPaged(VECTORS, vectorsFile(name), sizeOf(vectors), cacheBytes) ?? vectors)
          : vectors,
      })
    })
    this.#state = { ...this.#state, segments }
  }

  /** Returns null when the file can't be opened now, for example because too many files are open. */
  #openPaged<T extends SectionTable>(kind: FileKind<T>, file: string, size: number, cacheBytes: number): SharedFile | null {
    try {
      const remote = this.#shares?.remoteFile(this.projectId, file, size) ?? null
      if (remote !== null) return openRemote(kind, basename(file, extname(file)), remote, cacheBytes)
      return openPaged(kind, join(this.#folder, file), cacheBytes)
    } catch {
      return null
    }
  }

  async #write(file: string, bytes: Uint8Array): Promise<void> {
    const isRemote = this.#isRemote(file, bytes.length)
    await Promise.all([
      isRemote || writeSynced(join(this.#folder, file), bytes),
      this.#shares?.upload(this.projectId, file, bytes),
    ])
  }

  #manifest({ segments, isIncomplete }: ProjectState): Buffer {
    return formatManifest({
      indexId: this.#indexId,
      projectId: this.projectId,
      isIncomplete,
      segments: segments.map(({ shared: { name, generation, words, vectors, deletions } }) => ({
        name,
        generation,
        words: identityOfFile(words),
        vectors: identityOfFile(vectors),
        deletions: deletions && identityOfFile(deletions),
      })),
    })
  }

  /** Returns the files that exist. A start of the writer removes what no manifest names yet from its disk. */
  async #present(files: readonly string[], all: ReadonlyMap<string, SharedFile>): Promise<string[]> {
    const names = files.length === 0 ? [] : await namesIn(this.#folder)
    return files.filter((file) => names.includes(file) || (all.has(file) && this.#isRemote(file, sizeOf(all.get(file)!))))
  }

  #isRemote(file: string, size: number): boolean {
    return this.#shares !== null && this.#shares.remoteFile(this.projectId, file, size) !== null
  }

  #paths(files: readonly string[]): string[] {
    return files.map((file) => join(this.#folder, file))
  }
}

function sizeOf(file: SharedFile): number {
  return isPaged(file) ? file.size : bytesInMemory(file).length
}

function filesOf({ segments }: ProjectState): Map<string, SharedFile> {
  return new Map(
    segments.flatMap(({ shared: { name, words, vectors, deletions, generation } }) => [
      [wordsFile(name), words] as const,
      [vectorsFile(name), vectors] as const,
      ...(deletions === null ? [] : [[deletionsFile(name, generation), deletions] as const]),
    ]),
  )
}
