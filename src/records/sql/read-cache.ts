/** What the database answered last, for as long as it has not changed. Returned values are shared, so callers must not change them. */
export class ReadCache<T> {
  readonly #versionNow: () => number
  readonly #maxEntries: number
  readonly #entries = new Map<string, T>()
  #version = -1

  /** `versionNow` returns a larger number after every change of what is read. */
  constructor(versionNow: () => number, maxEntries: number) {
    this.#versionNow = versionNow
    this.#maxEntries = maxEntries
  }

  /** Returns the values of keys, and reads those that are not in memory. Keys without a value are missing. */
  async getMany(
    keys: readonly string[],
    read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<Map<string, T>> {
    const version = this.#refresh()
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
    const isCurrent = version === this.#refresh()
    for (const [key, value] of values) {
      found.set(key, value)
      if (isCurrent) this.#remember(key, value)
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

  /** Forgets everything after a change. Returns the version. */
  #refresh(): number {
    const version = this.#versionNow()
    if (version !== this.#version) this.#entries.clear()
    this.#version = version
    return version
  }

  #remember(key: string, value: T): void {
    this.#entries.set(key, value)
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
