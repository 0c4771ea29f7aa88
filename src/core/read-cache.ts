import { LruCache } from './lru-cache.ts'

/** What was read last, for as long as it has not changed. Returned values are shared, so callers must not change them. */
export class ReadCache<T> {
  readonly #versionNow: () => number | Promise<number>
  readonly #sizeOf: (value: T) => number
  readonly #entries: LruCache<T>
  #version = -1

  /**
   * `versionNow` returns a larger number after each change to what is read. When all values together exceed `maxSize`, the cache forgets the
   * least recently used ones. By default, each value has the size 1.
   */
  constructor(versionNow: () => number | Promise<number>, maxSize: number, sizeOf: (value: T) => number = () => 1) {
    this.#versionNow = versionNow
    this.#entries = new LruCache(maxSize)
    this.#sizeOf = sizeOf
  }

  /** Returns the values of keys, and reads those that are not in memory. Keys without a value are missing. */
  async getMany(
    keys: readonly string[],
    read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<Map<string, T>> {
    const version = this.#note(await this.#versionNow())
    const found = new Map<string, T>()
    const others: string[] = []
    for (const key of keys) {
      const value = this.#entries.get(key)
      if (value === undefined) others.push(key)
      else found.set(key, value)
    }
    if (others.length === 0) return found
    const values = await read(others)
    // After a change during the read, the values may be from before the change.
    const isCurrent = version === this.#note(await this.#versionNow())
    for (const [key, value] of values) {
      found.set(key, value)
      if (isCurrent) this.#entries.set(key, value, this.#sizeOf(value))
    }
    return found
  }

  async get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const values = await this.getMany([key], async () => {
      const value = await read()
      return new Map(value === undefined ? [] : [[key, value]])
    })
    return values.get(key)
  }

  /**
   * Notes the version, and forgets everything if it has changed. Returns the version. Must not be async, because another caller could note another
   * version before this caller continues.
   */
  #note(version: number): number {
    if (version !== this.#version) this.#entries.clear()
    this.#version = version
    return version
  }
}
