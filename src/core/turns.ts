import { setImmediate } from 'node:timers/promises'

/** Remembers the order in which users were served, so that the user who was served longest ago comes next. */
export class Turns {
  #last = 0
  readonly #turns = new Map<string, number>()

  /** Records that this user was served now. */
  note(owner: string): void {
    this.#turns.set(owner, ++this.#last)
  }

  /** Returns a smaller number for a user who was served longer ago, and 0 for a user who was never served. */
  of(owner: string): number {
    return this.#turns.get(owner) ?? 0
  }
}

/**
 * A queue in which users take turns. How long an item waits depends on the number of waiting users, and not on how much one user
 * sends.
 */
export class TurnQueue<T> {
  readonly #lines = new Map<string, T[]>()
  readonly #turns = new Turns()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(owner: string): number {
    return this.#lines.get(owner)?.length ?? 0
  }

  push(owner: string, item: T): void {
    const line = this.#lines.get(owner)
    if (line) line.push(item)
    else this.#lines.set(owner, [item])
    this.#length += 1
  }

  /** Returns the oldest item of the user who comes next. */
  peek(): T | undefined {
    const owner = this.nextOwner()
    return owner === undefined ? undefined : this.#lines.get(owner)![0]
  }

  /** Removes and returns the oldest item of this user, by default of the user who comes next. */
  shift(owner = this.nextOwner()): T | undefined {
    const item = owner === undefined ? undefined : this.#lines.get(owner)?.[0]
    if (owner === undefined || item === undefined) return undefined
    this.#turns.note(owner)
    this.remove(item)
    return item
  }

  /** Removes an item. Returns false if it isn't in the queue. */
  remove(item: T): boolean {
    for (const [owner, line] of this.#lines) {
      const at = line.indexOf(item)
      if (at < 0) continue
      line.splice(at, 1)
      if (line.length === 0) this.#lines.delete(owner)
      this.#length -= 1
      return true
    }
    return false
  }

  /** Returns the user who was served longest ago, among those who wait and are not in `except`. */
  nextOwner(except: readonly string[] = []): string | undefined {
    let next: string | undefined
    for (const owner of this.#lines.keys()) {
      if (except.includes(owner)) continue
      if (next === undefined || this.#turns.of(owner) < this.#turns.of(next)) next = owner
    }
    return next
  }
}

/** A request that does more work than this lets other requests take their turn in between. */
const TURN_MS = 5

/** Does something with each item, and lets other work on the main thread go on in between. */
export async function eachInTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - began < TURN_MS) continue
    await setImmediate()
    began = performance.now()
  }
}

/** Limits how many requests of a kind each user may have open, over all credentials. */
export class UserSlots {
  readonly #limit: number
  readonly #taken = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a slot. Returns a function that releases it, or null if the user has no slot left. */
  take(userId: string): (() => void) | null {
    const taken = this.#taken.get(userId) ?? 0
    if (taken >= this.#limit) return null
    this.#taken.set(userId, taken + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#release(userId)
    }
  }

  #release(userId: string): void {
    const left = (this.#taken.get(userId) ?? 1) - 1
    if (left === 0) this.#taken.delete(userId)
    else this.#taken.set(userId, left)
  }
}
