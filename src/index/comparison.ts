/**
 * Whether the table has to be compared with the segments: after the start, after each damage, and again when a comparison failed. The state is
 * `isDue` until a comparison has ended that began after the last damage.
 */
export class Comparison {
  #requested = 1
  #done = 0

  get isDue(): boolean {
    return this.#done < this.#requested
  }

  /** The segments have lost something that the table has. */
  request(): void {
    this.#requested++
  }

  /** Compares if that is due. */
  async run(compare: () => Promise<void>): Promise<void> {
    const wanted = this.#requested
    if (this.#done === wanted) return
    await compare()
    this.#done = wanted
  }
}
