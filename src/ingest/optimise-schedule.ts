/** In a long run the index is optimised after this many passages, or searches would scan ever more rows that are in no index. */
const PASSAGES_BETWEEN = 20_000
/** While passages keep coming, or a document stands still, the index is optimised this often at most … */
const MIN_PAUSE_MS = 15_000
/** … and for at most this part of the time. */
const MAX_PART = 1 / 20

/** Decides when the index has to be optimised although documents are still in work. Times come from `performance.now()`. */
export class OptimiseSchedule {
  #passages = 0
  #nextAt: number

  constructor(now: number) {
    this.#nextAt = now + MIN_PAUSE_MS
  }

  /** After a commit. Returns true when the index has to be optimised now. */
  committed(passages: number, now: number): boolean {
    // After a rest the pause starts with the first commit, so that a burst is not interrupted at its beginning.
    if (this.#passages === 0) this.#nextAt = Math.max(this.#nextAt, now + MIN_PAUSE_MS)
    this.#passages += passages
    return this.#passages >= PASSAGES_BETWEEN || this.isDue(now)
  }

  isDue(now: number): boolean {
    return now >= this.#nextAt
  }

  begun(): void {
    this.#passages = 0
  }

  ended(startedAt: number, endedAt: number): void {
    this.#nextAt = endedAt + Math.max(MIN_PAUSE_MS, (endedAt - startedAt) / MAX_PART)
  }
}
