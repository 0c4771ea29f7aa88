import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface FileCacheOptions {
  /** Only this cache uses the folder. Opening the cache empties it. */
  folder: string
  /** Files in use stay, even if they exceed this. */
  maxBytes: number
}

interface Entry {
  /** Each entry has its own path, so deleting an old entry never deletes a file that was fetched again. */
  path: string
  /** Resolves when the file is there. */
  size: Promise<number>
  /** Known once the file is there. */
  bytes: number
  users: number
}

/**
 * Local copies of objects that never change, in a folder of bounded size. Deletes the least recently used files first. Each start begins with an
 * empty folder: files are not synced, so after a power cut they could be damaged.
 */
export class FileCache {
  readonly #folder: string
  readonly #maxBytes: number
  /** By name, least recently used first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #lastNumber = 0

  private constructor({ folder, maxBytes }: FileCacheOptions) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  static async open(options: FileCacheOptions): Promise<FileCache> {
    await rm(options.folder, { recursive: true, force: true })
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    return new FileCache(options)
  }

  /** The size of all files in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Calls `work` with the path of a file, which stays until `work` ends. If the file is not there, `fetch` has to write it to the path that it gets;
   * callers at the same time wait for one `fetch`.
   */
  async use<T>(name: string, fetch: (path: string) => Promise<void>, work: (path: string) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(name) ?? this.#add(name, (path) => fetched(path, fetch))
    entry.users += 1
    // Makes the file the most recently used.
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    try {
      await entry.size
      return await work(entry.path)
    } finally {
      entry.users -= 1
      await this.#shrink()
    }
  }

  /** Takes a file into the cache. Its folder has to be on the same file system. */
  async adopt(name: string, path: string): Promise<void> {
    if (this.#entries.has(name)) return rm(path, { force: true })
    const move = async (target: string) => {
      await rename(path, target)
      return (await stat(target)).size
    }
    await this.#add(name, move).size
    await this.#shrink()
  }

  #add(name: string, bring: (path: string) => Promise<number>): Entry {
    const path = join(this.#folder, `${name}.${++this.#lastNumber}`)
    const size = bring(path)
    const entry: Entry = { path, size, bytes: 0, users: 0 }
    this.#entries.set(name, entry)
    size.then(
      (bytes) => {
        entry.bytes = bytes
        this.#bytes += bytes
      },
      // Callers that wait for the file get the error; the next one tries again.
      () => this.#entries.delete(name),
    )
    return entry
  }

  async #shrink(): Promise<void> {
    for (const [name, { path, users, bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      if (users > 0 || bytes === 0) continue
      this.#entries.delete(name)
      this.#bytes -= bytes
      await rm(path, { force: true })
    }
  }
}

async function fetched(path: string, fetch: (path: string) => Promise<void>): Promise<number> {
  try {
    await fetch(path)
    return (await stat(path)).size
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
