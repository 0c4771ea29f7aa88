import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, type Env } from '../../client/folders.ts'
import { readJson, writePrivateJson } from '../../client/private-file.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { FoundFile } from './found.ts'

const VERSION = 1
/**
 * A file that changed so recently may change again without a new time, because some file systems count in steps of two seconds. Its hash is
 * not kept.
 */
const SETTLED_MS = 2500

/** Size, time of the last change of content and of anything, number on the disk, and hash. */
type Entry = [size: number, mtimeMs: number, ctimeMs: number, inode: number, sha256: string]

/**
 * The hashes of the files of one folder, so that a file is read again only after its size, times or inode have changed. It may be deleted
 * at any time.
 */
export class HashCache {
  readonly #file: string
  readonly #known: Readonly<Record<string, Entry>>
  readonly #kept = new Map<string, Entry>()
  #isChanged = false

  private constructor(file: string, known: Readonly<Record<string, Entry>>) {
    this.#file = file
    this.#known = known
  }

  /** Opens the cache of a folder, given by its real path. What can't be read counts as empty. */
  static async open(env: Env, folder: string): Promise<HashCache> {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 32)
    const file = join(cacheFolder(env), 'sync', `${name}.json`)
    try {
      const { version, files } = (await readJson(file)) ?? {}
      const isReadable = version === VERSION && typeof files === 'object' && files !== null
      return new HashCache(file, isReadable ? (files as Record<string, Entry>) : {})
    } catch (error) {
      if (error instanceof DocsearchError) return new HashCache(file, {})
      throw error
    }
  }

  /** Returns the hash of a file that has not changed since it was added. */
  get({ path, stats }: FoundFile): string | undefined {
    const entry = Object.hasOwn(this.#known, path) ? this.#known[path] : undefined
    if (!Array.isArray(entry) || stats === undefined || !isSame(entry, stats)) return undefined
    this.#kept.set(path, entry)
    return entry[4]
  }

  /** Adds a hash, unless the file changed while or shortly before it was read. */
  add(path: string, sha256: string, before: Stats, after: Stats): void {
    const entry: Entry = [before.size, before.mtimeMs, before.ctimeMs, before.ino, sha256]
    const isSettled = Date.now() - Math.max(before.ctimeMs, before.mtimeMs) > SETTLED_MS
    if (!isSettled || !isSame(entry, after)) return
    this.#kept.set(path, entry)
    this.#isChanged = true
  }

  /** Writes the hashes of the files that were asked for or added, and drops all others. */
  async save(): Promise<void> {
    if (!this.#isChanged && this.#kept.size === Object.keys(this.#known).length) return
    try {
      await writePrivateJson(this.#file, { version: VERSION, files: Object.fromEntries(this.#kept) }, { isCompact: true })
    } catch (error) {
      // Without a cache, the next run reads the files again.
      if (!(error instanceof DocsearchError)) throw error
    }
  }
}

function isSame([size, mtimeMs, ctimeMs, inode]: Entry, stats: Stats): boolean {
  return size === stats.size && mtimeMs === stats.mtimeMs && ctimeMs === stats.ctimeMs && inode === stats.ino
}
