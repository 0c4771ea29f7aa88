/**
 * Keeps track of whether table and segments have to be compared: after the start, after each damage, and again when a comparison has failed.
 * `isDue` stays true until a comparison succeeds that began after the last damage.
 */
export class Comparison {
  #requested = 1
  #done = 0

  get isDue(): boolean {
    return this.#done < this.#requested
  }

  /** Call this when the segments have lost passages that the table has. */
  request(): void {
    this.#requested++
  }

  /** Runs a comparison if one is due. */
  async run(compare: () => Promise<void>): Promise<void> {
    const wanted = this.#requested
    if (this.#done === wanted) return
    await compare()
    this.#done = wanted
  }
}
