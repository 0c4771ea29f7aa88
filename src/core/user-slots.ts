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
