import { builtModule } from '../../../core/built-module.ts'
import { type DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { StoredPassage } from '../../../core/passage.ts'
import { type PagedFile, hasOwnHandle } from '../paged-file.ts'
import type { VectorLayout } from '../vectors/format.ts'
import { Merges } from './merges.ts'
import { ALL_IN_MEMORY, type SegmentMemory } from './memory.ts'
import {
  asKnown,
  countMemoryOfSegment,
  type FileOnDisk,
  filesOnDisk,
  memoryOfSegment,
  pagedFilesOf,
  type ProjectSegments,
  type SegmentsListener,
  type SharedSegment,
} from './project-segments.ts'
import type { BackgroundCalls, Changed, Marked, IndexFolder, WriterCalls } from './protocol.ts'
import type { SharedPlace, WriterLease } from './shares.ts'
import { fromFailure, IndexThread } from './index-thread.ts'
import { closeSync } from 'node:fs'

/** After a merge, the thread that merges has tens of megabytes. */
const IDLE_MS = 30_000

export interface SegmentStoreOptions {
  /** The folder of the index. Created when it does not exist. */
  folder: string
  layout: VectorLayout
  log: Logger
  /** By default, everything is in memory. */
  memory?: SegmentMemory | undefined
  /** Where this process shares the segments with others. The folder then has copies. By default, the index belongs to this process alone. */
  shared?: SharedPlace | undefined
}

/**
 * The segments of one index, in files and in memory that threads share. The writer thread builds the segments of a commit and switches the
 * manifests. A background thread merges, so that a commit never waits for a merge. This class knows the current segments of each project.
 */
export class SegmentStore {
  readonly #options: SegmentStoreOptions
  readonly #writer = new IndexThread<WriterCalls>(builtModule(new URL('./writer-main.ts', import.meta.url)))
  readonly #background = new IndexThread<BackgroundCalls>(builtModule(new URL('./background-main.ts', import.meta.url)), {
    idleMs: IDLE_MS,
  })
  readonly #projects = new Map<string, ProjectSegments>()
  readonly #listeners = new Set<SegmentsListener>()
  readonly #handles = new FileHandles()
  readonly #merges: Merges
  #onDamage: (segment: string) => Promise<void> = async () => {}
  #following: Promise<void> | null = null
  #nextFollow: Promise<void> | null = null
  #version = 0
  /** False for shared segments while another process may be their writer. */
  #isWriter: boolean
  /** The segments of the projects, until one of them changes. */
  #list: readonly ProjectSegments[] | null = null

  private constructor(options: SegmentStoreOptions) {
    this.#options = options
    this.#isWriter = options.shared === undefined
    this.#merges = new Merges({
      segmentsOf: (projectId) => this.#projects.get(projectId),
      merge: (project, sources) => this.#merge(project, sources),
      log: options.log,
    })
  }

  /** Loads all segments. Skips damaged segments; their projects are then incomplete. Skips projects whose manifest is damaged. */
  static async open(options: SegmentStoreOptions): Promise<SegmentStore> {
    const store = new SegmentStore(options)
    try {
      await store.#openWriter()
      return store
    } catch (error) {
      await store.close()
      throw error
    }
  }

  projects(): readonly ProjectSegments[] {
    this.#list ??= [...this.#projects.values()]
    return this.#list
  }

  project(projectId: string): ProjectSegments | undefined {
    return this.#projects.get(projectId)
  }

  /** Calls the listener after each change of a project. Returns a function that removes the listener. */
  onChange(listener: SegmentsListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Adds documents, and removes deleted documents and earlier versions. Returns the rows of the removed passages. Searches see all changes of a
   * project at once. When this rejects, each project has changed either completely or not at all.
   */
  async commit(change: WriterCalls['commit']['request']): Promise<{ removedRows: bigint[] }> {
    const { removedRows, failure } = await this.#change('commit', change)
    if (failure !== null) throw failure
    return { removedRows }
  }

  /** Records whether segments of these projects are missing. */
  async mark(projects: readonly Marked[]): Promise<void> {
    const { failure } = await this.#change('mark', { projects })
    if (failure !== null) throw failure
  }

  /** Adds stored passages to a project. Leaves out the documents that `without` returns when the segment is built. */
  async rebuild(
    projectId: string,
    rows: { row: bigint; passage: StoredPassage }[],
    without: () => readonly string[],
  ): Promise<void> {
    const segment = await this.#background.call('rebuild', { ...this.#place(), projectId, rows })
    const { failure } = await this.#change('install', { projectId, segment, sources: [], without: without() })
    if (failure !== null) throw failure
  }

  /** Makes sure that `projects` matches the disk, even if the writer thread died during a change. */
  async refresh(): Promise<void> {
    if (!this.#writer.isRunning) await this.#openWriter()
  }

  /** The number of the last commit that `projects` has. 0 for an index of one process. */
  get version(): number {
    return this.#version
  }

  /** True until a change has failed, because another process writes the index now, or because the thread that writes it has ended. */
  get isWriter(): boolean {
    return this.#isWriter && this.#writer.isRunning
  }

  /** Makes this process the writer of shared segments. Throws `writer_replaced`. */
  async takeOver(lease: WriterLease): Promise<void> {
    const { failure } = await this.#change('takeOver', { lease })
    this.#isWriter = true
    if (failure !== null) this.#options.log.error({ err: failure }, 'a segment in the object store is damaged')
    for (const { projectId } of this.projects()) this.#merges.changed(projectId)
  }

  /** Makes sure that this process is still the writer of shared segments, and that no failed commit has taken effect. */
  async confirm(): Promise<void> {
    await this.#asWriter(() => this.#writer.call('confirm', {}))
  }

  /** Makes sure that `projects` has every commit that another process has finished before this call. */
  follow(): Promise<void> {
    // A run in progress may have begun before that commit. One more run serves all callers that wait.
    this.#nextFollow ??= (async () => {
      await this.#following?.catch(() => {})
      this.#following = this.#nextFollow
      this.#nextFollow = null
      const { failure } = await this.#change('follow', {})
      if (failure !== null) this.#options.log.error({ err: failure }, 'a segment in the object store is damaged')
    })()
    return this.#nextFollow
  }

  /** Deletes files that no process needs any more from the place that processes share. Rejects if this process is not the writer. */
  async sweep(): Promise<void> {
    if (this.#options.shared === undefined) return
    const unnamed = await this.#background.call('unnamed', this.#place())
    await this.refresh()
    const files = unnamed.length === 0 ? [] : await this.#asWriter(() => this.#writer.call('unneeded', { files: unnamed }))
    await this.#background.call('delete', { ...this.#place(), files })
  }

  /** Calls the listener with each damaged segment that a merge reads. */
  onDamage(listener: (segment: string) => Promise<void>): void {
    this.#onDamage = listener
  }

  /**
   * Reads the files on disk, the smallest first. Brings those into memory that fit, and verifies the others. Calls `onDamage` with each damaged
   * segment.
   */
  async readFiles(onDamage: (segment: string) => Promise<void>): Promise<void> {
    const segments = this.projects().flatMap(({ projectId, segments }) => segments.map((segment) => ({ projectId, segment })))
    const files = segments.flatMap(({ projectId, segment }) => filesOnDisk(segment).map((file) => ({ projectId, ...file })))
    for (const one of files.sort((a, b) => a.file.size - b.file.size)) {
      const { projectId, file, name } = one
      const isInUse = this.#projects.get(projectId)?.segments.some((segment) => pagedFilesOf(segment).includes(file))
      // Sections that stay in an object store are verified when they are read.
      if (isInUse !== true || (file.remote !== undefined && !this.#hasRoomFor(file))) continue
      if (!(await this.#isWhole(one, this.#hasRoomFor(file)))) await onDamage(name)
    }
  }

  /** Removes a damaged segment; its project is then incomplete. Returns false if it is not there any more. */
  async leaveOut(name: string): Promise<boolean> {
    const project = this.projects().find(({ segments }) => segments.some((segment) => segment.name === name))
    if (project === undefined) return false
    this.#options.log.error({ segment: name, project: project.projectId }, 'a segment is damaged; rebuilding it')
    const { projects } = await this.#change('leaveOut', { projectId: project.projectId, name })
    return projects.length > 0
  }

  /** Resolves when no merge is due. */
  idle(): Promise<void> {
    return this.#merges.idle()
  }

  async close(): Promise<void> {
    const stopped = this.#merges.stop()
    await this.#background.close()
    await stopped
    await this.#writer.close()
    const paged = this.projects().filter(({ segments }) => segments.flatMap(pagedFilesOf).length > 0)
    await Promise.all(paged.map((project) => this.#tell({ ...project, segments: [] }, project.segments)))
    this.#projects.clear()
    this.#list = null
  }

  #place(): IndexFolder {
    const { folder, layout, shared = null } = this.#options
    return { folder, layout, shared }
  }

  /** Starts the writer thread, which reads the manifests. Needed again after the thread died, because its last change may be on disk. */
  async #openWriter(): Promise<void> {
    this.#isWriter = this.#options.shared === undefined
    const { projects, damage, version } = await this.#writer.call('open', {
      ...this.#place(),
      known: this.projects(),
      memory: this.#options.memory ?? ALL_IN_MEMORY,
    })
    this.#version = version
    for (const { projectId, failure } of damage)
      this.#options.log.error({ err: fromFailure(failure), project: projectId }, 'a segment is damaged; rebuilding it')
    const found = new Set(projects.map(({ projectId }) => projectId))
    for (const { projectId } of this.projects())
      if (!found.has(projectId)) this.#publish({ projectId, segments: [], isIncomplete: false })
    for (const project of projects) this.#publish(project)
  }

  async #change<K extends 'commit' | 'install' | 'keepInMemory' | 'mark' | 'leaveOut' | 'follow' | 'takeOver'>(
    kind: K,
    request: WriterCalls[K]['request'],
  ): Promise<Omit<Changed, 'failure'> & { failure: DocsearchError | null }> {
    await this.refresh()
    const changed = await this.#asWriter(() => this.#writer.call(kind, request))
    for (const project of changed.projects) this.#publish(project)
    this.#version = changed.version
    const failure = changed.failure && fromFailure(changed.failure)
    if (isDocsearchError(failure, 'writer_replaced')) this.#isWriter = false
    return { ...changed, failure }
  }

  async #asWriter<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isDocsearchError(error, 'writer_replaced')) this.#isWriter = false
      throw error
    }
  }

  #hasRoomFor({ size, resident }: PagedFile): boolean {
    const { sharedBytes } = this.#options.memory ?? ALL_IN_MEMORY
    const used = this.projects().flatMap(({ segments }) => segments.map(memoryOfSegment))
    return used.reduce((sum, bytes) => sum + bytes, size - resident.byteLength) <= sharedBytes
  }

  /** Returns whether a file is undamaged. With `keep`, the file is in memory afterwards. */
  async #isWhole({ name, part, file, projectId }: FileOnDisk & { projectId: string }, keep = false): Promise<boolean> {
    try {
      if (keep) {
        const read = await this.#using([file], () => this.#background.call('read', { part, file }))
        await this.#change('keepInMemory', { projectId, name, part, file: read })
      } else await this.#using([file], () => this.#background.call('verify', { part, file }))
      return true
    } catch (error) {
      if (!isDocsearchError(error, 'index_corrupt')) throw error
      return false
    }
  }

  async #merge({ projectId }: ProjectSegments, sources: readonly SharedSegment[]): Promise<void> {
    const onDisk = sources.flatMap(filesOnDisk)
    const { segment, numbers } = await this.#using(
      onDisk.map(({ file }) => file),
      () =>
        this.#background.call('merge', { ...this.#place(), projectId, sources }).catch(async (error: unknown) => {
          if (isDocsearchError(error, 'index_corrupt'))
            for (const one of onDisk) if (!(await this.#isWhole({ ...one, projectId }))) await this.#onDamage(one.name)
          throw error
        }),
    )
    const { failure } = await this.#change('install', {
      projectId,
      segment,
      sources: sources.map(({ name }, i) => ({ name, numbers: numbers[i]! })),
      without: [],
    })
    if (failure !== null) throw failure
  }

  /** Keeps files open until `work` ends. */
  async #using<T>(files: readonly PagedFile[], work: () => Promise<T>): Promise<T> {
    this.#handles.retain(files)
    try {
      return await work()
    } finally {
      this.#handles.release(files)
    }
  }

  /** Passes a changed project to the listeners. Closes the files that it no longer uses, once no thread reads them. */
  #tell(project: ProjectSegments, before: readonly SharedSegment[]): Promise<void> {
    const [old, now] = [before.flatMap(pagedFilesOf), project.segments.flatMap(pagedFilesOf)]
    const unused = old.filter((file) => !now.includes(file))
    this.#handles.retain(now.filter((file) => !old.includes(file)))
    const settled = [...this.#listeners].map((listener) => listener(project, unused.length > 0))
    if (unused.length === 0) return Promise.resolve()
    return Promise.allSettled(settled).then(() => this.#handles.release(unused))
  }

  /** Records a changed project. Keeps the objects of segments that have not changed, so that threads and caches recognise them. */
  #publish(changed: ProjectSegments): void {
    const { projectId } = changed
    const known = this.#projects.get(projectId)?.segments ?? []
    const before = new Map(known.map((segment) => [segment.name, segment]))
    const segments = changed.segments.map((segment) => asKnown(segment, before.get(segment.name)))
    segments.forEach(countMemoryOfSegment)
    const project = { ...changed, segments }
    if (segments.length === 0 && !project.isIncomplete) this.#projects.delete(projectId)
    else this.#projects.set(projectId, project)
    this.#list = null
    void this.#tell(project, known)
    if (this.#isWriter) this.#merges.changed(projectId)
  }
}

/** Counts the users of each file that threads read page by page, and closes a file when its last user releases it. */
class FileHandles {
  readonly #users = new Map<number, number>()

  retain(files: readonly PagedFile[]): void {
    for (const { handle } of files.filter(hasOwnHandle)) this.#users.set(handle, (this.#users.get(handle) ?? 0) + 1)
  }

  release(files: readonly PagedFile[]): void {
    for (const { handle } of files.filter(hasOwnHandle)) {
      const users = (this.#users.get(handle) ?? 0) - 1
      if (users > 0) this.#users.set(handle, users)
      else if (this.#users.delete(handle)) closeSync(handle)
    }
  }
}
