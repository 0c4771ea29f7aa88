import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import { silentLogger } from '../../../core/logger.ts'
import type { ObjectStore } from '../../../objects/object-store.ts'
import { openS3 } from '../../../objects/s3/open.ts'
import { countBlocks, type RemoteFile } from '../remote-file.ts'
import { DELETIONS, makeFolder, MANIFEST, namesIn, NEW_MANIFEST, removeFolder, sizeOfFile } from '../store/files.ts'
import { filesInManifest, parseManifest } from '../store/manifest.ts'
import type { SharedPlace, Shares, WriterLease } from '../store/shares.ts'
import { CommitLog } from './commit-log.ts'

/** From this size on, files stay in the object store. */
const MIN_REMOTE_BYTES = 4 * 1024 * 1024
/** How many files to send or fetch at the same time. */
const FILES_AT_ONCE = 16
/** Files that no commit names stay this long, because an unfinished commit may be about to name them for the first time. */
const GRACE_MS = 60 * 60_000

/**
 * The segments of one index in an object store. A process keeps copies in a folder that looks like the folder of an instance on one machine. Files
 * never change and have random names, so only the manifests have to be coordinated (commit-log.ts).
 */
export class RemoteSegments implements Shares {
  readonly #store: ObjectStore
  readonly #log: CommitLog
  readonly #indexId: string
  readonly #folder: string
  readonly #place: SharedPlace
  /** Null if all small files have copies. */
  readonly #copies: Copies | null
  readonly #inTurn = pLimit(FILES_AT_ONCE)

  private constructor(store: ObjectStore, log: CommitLog, place: SharedPlace, folder: string) {
    this.#place = place
    this.#copies = place.maxCopyBytes === undefined ? null : new Copies(place.maxCopyBytes)
    this.#store = store
    this.#log = log
    this.#folder = folder
    this.#indexId = basename(folder)
  }

  /** `folder` is the local folder of the index. */
  static async open(place: SharedPlace, folder: string): Promise<RemoteSegments> {
    const store = await openS3({ address: place.address, log: silentLogger })
    return new RemoteSegments(store, await CommitLog.open(store, basename(folder)), place, folder)
  }

  remoteFile(projectId: string, file: string, size: number): RemoteFile | null {
    const { cache, minRemoteBytes = MIN_REMOTE_BYTES } = this.#place
    if (cache === undefined) return null
    // A file with deletions is always in memory.
    const isCopy = file.endsWith(DELETIONS) || (size < minRemoteBytes && this.#copies?.has(projectId, file, size) !== false)
    if (isCopy) return null
    const blocks = new SharedArrayBuffer(4 * countBlocks(size))
    return { cache, id: randomUUID(), key: this.#keyOf(projectId, file), size, blocks }
  }

  get version(): number {
    return this.#log.version
  }

  get projectCount(): number {
    return this.#log.manifests.size
  }

  takeOver(lease: WriterLease): Promise<ReadonlySet<string>> {
    return this.#log.takeOver(lease)
  }

  upload(projectId: string, file: string, bytes: Uint8Array): Promise<void> {
    return this.#inTurn(() => this.#store.put(this.#keyOf(projectId, file), bytes))
  }

  async commit(projectId: string, manifest: Uint8Array | null): Promise<void> {
    const text = manifest && Buffer.from(manifest).toString()
    await this.#log.append(new Map([[projectId, text]]))
    this.#forgetCopies(projectId, text === null ? [] : this.#filesOf(projectId, text))
  }

  confirm(): Promise<void> {
    return this.#log.append(new Map())
  }

  follow(): Promise<ReadonlySet<string>> {
    return this.#log.follow()
  }

  async fetch(projectIds?: ReadonlySet<string>): Promise<void> {
    const wanted = projectIds ?? new Set([...(await namesIn(this.#folder)), ...this.#log.manifests.keys()])
    await Promise.all([...wanted].map((projectId) => this.#fetchProject(projectId)))
  }

  async unnamed(): Promise<string[]> {
    const { graceMs = GRACE_MS } = this.#place
    const now = Date.now()
    const old: string[] = []
    for await (const { key, modifiedAt } of this.#store.list(this.#keyOf('')))
      if (now - modifiedAt.getTime() > graceMs) old.push(key)
    await this.#log.follow()
    return this.#withoutNamed(old)
  }

  /**
   * Reverts failed commits first. A failed commit that took effect may have dropped files, and the commit that reverts it names them again. If this
   * process is the writer afterwards, every later commit names only files that are new or named now, no matter which process makes it.
   */
  async unneeded(files: readonly string[]): Promise<string[]> {
    await this.confirm()
    return this.#withoutNamed(files)
  }

  async delete(files: readonly string[]): Promise<void> {
    await Promise.all(files.map((key) => this.#inTurn(() => this.#store.delete(key))))
    await this.#log.trim()
  }

  #withoutNamed(keys: readonly string[]): string[] {
    const named = new Set<string>()
    for (const [projectId, text] of this.#log.manifests)
      for (const { file } of this.#filesOf(projectId, text)) named.add(this.#keyOf(projectId, file))
    return keys.filter((key) => !named.has(key))
  }

  async #fetchProject(projectId: string): Promise<void> {
    const folder = join(this.#folder, projectId)
    const text = this.#log.manifests.get(projectId)
    const named = text === undefined ? [] : this.#filesOf(projectId, text)
    this.#forgetCopies(projectId, named)
    if (text === undefined) return removeFolder(folder)
    await makeFolder(folder)
    const files = named.map(({ file, bytes }) => ({ file, bytes, isCopy: this.remoteFile(projectId, file, bytes) === null }))
    await Promise.all(
      files.map(({ file, bytes, isCopy }) =>
        // An earlier run may have left a copy.
        this.#inTurn(() => (isCopy ? this.#fetchFile(projectId, file, bytes) : rm(join(folder, file), { force: true }))),
      ),
    )
    // Copies need not survive a power cut: the next start fetches damaged files again.
    await writeFile(join(folder, NEW_MANIFEST), text, { mode: 0o600 })
    await rename(join(folder, NEW_MANIFEST), join(folder, MANIFEST))
  }

  async #fetchFile(projectId: string, file: string, bytes: number): Promise<void> {
    const path = join(this.#folder, projectId, file)
    const size = await sizeOfFile(path).catch(() => null)
    if (size === bytes) return
    const found = await this.#store.read(this.#keyOf(projectId, file))
    // The loader reports it as damage.
    if (found === null) return
    await pipeline(found.stream, createWriteStream(`${path}.part`, { mode: 0o600 }))
    await rename(`${path}.part`, path)
  }

  #forgetCopies(projectId: string, named: readonly { file: string }[]): void {
    this.#copies?.keep(projectId, new Set(named.map(({ file }) => file)))
  }

  #filesOf(projectId: string, manifest: string): { file: string; bytes: number }[] {
    return filesInManifest(parseManifest(manifest, { indexId: this.#indexId, projectId }))
  }

  #keyOf(projectId: string, file = ''): string {
    return keyOfFile(this.#indexId, projectId, file)
  }
}

/** Returns the key of a file. Without a project, returns the prefix of all keys of the index. */
export function keyOfFile(indexId: string, projectId = '', file = ''): string {
  const folder = `segments/${indexId}/files/`
  return projectId === '' ? folder : `${folder}${projectId}/${file}`
}

/** Deletes the files of an index, and then its log. */
export async function dropRemoteSegments({ address }: SharedPlace, indexId: string): Promise<void> {
  const store = await openS3({ address, log: silentLogger })
  try {
    for await (const { key } of store.list(`segments/${indexId}/`)) await store.delete(key)
  } finally {
    store.close()
  }
}

interface Decision {
  isCopy: boolean
  size: number
}

/**
 * Decides which segment files get copies on this disk: files get one in the order of the calls, as long as the copies fit into `maxBytes`.
 * A decision about a file does not change, because threads may be reading the file.
 */
export class Copies {
  readonly #maxBytes: number
  readonly #decisions = new Map<string, Map<string, Decision>>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The size of all copies together. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns whether a file of a project has, or gets, a copy. */
  has(projectId: string, file: string, size: number): boolean {
    const ofProject = this.#decisions.get(projectId) ?? new Map<string, Decision>()
    this.#decisions.set(projectId, ofProject)
    const known = ofProject.get(file)
    if (known !== undefined) return known.isCopy
    const isCopy = this.#bytes + size <= this.#maxBytes
    ofProject.set(file, { isCopy, size })
    if (isCopy) this.#bytes += size
    return isCopy
  }

  /** Forgets all files of a project except these. */
  keep(projectId: string, files: ReadonlySet<string>): void {
    const ofProject = this.#decisions.get(projectId)
    if (ofProject === undefined) return
    for (const [file, { isCopy, size }] of ofProject) {
      if (files.has(file)) continue
      ofProject.delete(file)
      if (isCopy) this.#bytes -= size
    }
    if (ofProject.size === 0) this.#decisions.delete(projectId)
  }
}
