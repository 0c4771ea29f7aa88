interface Entry<V> {
  value: V
  size: number
}

/**
 * Remembers values up to a total size, and forgets the least recently used values first. Not a package: a Map keeps its keys in the order in
 * which they were added, so the rest takes only these few lines.
 */
export class LruCache<V, K = string> {
  readonly #entries = new Map<K, Entry<V>>()
  readonly #maxSize: number
  #size = 0

  /** `maxSize` has the unit of the sizes that `set` gets, such as bytes. By default, it is a number of values. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  /** The number of values. */
  get count(): number {
    return this.#entries.size
  }

  /** The size of all values together. */
  get size(): number {
    return this.#size
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** A size in bytes includes the key. A value larger than the whole cache is not remembered. */
  set(key: K, value: V, size = 1): void {
    this.delete(key)
    if (size > this.#maxSize) return
    for (const oldest of this.#entries.keys()) {
      if (this.#size + size <= this.#maxSize) break
      this.delete(oldest)
    }
    this.#entries.set(key, { value, size })
    this.#size += size
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#size -= entry.size
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }
}
