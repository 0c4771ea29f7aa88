/** Remembers in which order users were served, so that the one who was served longest ago comes next. */
export class Turns {
  #last = 0
  readonly #turns = new Map<string, number>()

  /** Notes that this user was served now. */
  note(owner: string): void {
    this.#turns.set(owner, ++this.#last)
  }

  /** A smaller number for a user who was served longer ago; 0 for one who was never served. */
  of(owner: string): number {
    return this.#turns.get(owner) ?? 0
  }

  forget(): void {
    this.#turns.clear()
  }
}

/** Work that waits. Users take turns, so how long an item waits depends on how many users wait and not on how much one of them sends. */
export class TurnQueue<T> {
  readonly #lines = new Map<string, T[]>()
  readonly #turns = new Turns()
  #length = 0

  get length(): number {
    return this.#length
  }

  push(owner: string, item: T): void {
    const line = this.#lines.get(owner)
    if (line) line.push(item)
    else this.#lines.set(owner, [item])
    this.#length += 1
  }

  /** Returns the oldest item of the user who was served longest ago. */
  peek(): T | undefined {
    const owner = this.#next()
    return owner === undefined ? undefined : this.#lines.get(owner)![0]
  }

  /** Removes the item that `peek` returns. */
  shift(): T | undefined {
    const owner = this.#next()
    if (owner === undefined) return undefined
    const [item] = this.#lines.get(owner)!
    this.#turns.note(owner)
    this.remove(item!)
    return item
  }

  /** Returns false when the item isn't waiting. */
  remove(item: T): boolean {
    for (const [owner, line] of this.#lines) {
      const at = line.indexOf(item)
      if (at < 0) continue
      line.splice(at, 1)
      if (line.length === 0) this.#lines.delete(owner)
      this.#length -= 1
      // Without anybody waiting, nobody has a claim to come first.
      if (this.#length === 0) this.#turns.forget()
      return true
    }
    return false
  }

  #next(): string | undefined {
    let next: string | undefined
    for (const owner of this.#lines.keys()) if (next === undefined || this.#turns.of(owner) < this.#turns.of(next)) next = owner
    return next
  }
}
