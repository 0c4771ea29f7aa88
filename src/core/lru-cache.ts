interface Entry<V> {
  value: V
  bytes: number
}

/**
 * Remembers values up to a number of bytes. It forgets the values first that nobody has asked for longest. Not a package: a Map keeps its keys in
 * the order in which they were added, and the rest is these few lines.
 */
export class LruCache<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** @param bytes What the value and its key take in memory. A value larger than the whole cache is not remembered. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    if (bytes > this.#maxBytes) return
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + bytes <= this.#maxBytes) break
      this.delete(oldest)
    }
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }
}
