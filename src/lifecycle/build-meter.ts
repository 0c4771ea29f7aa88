import type { Embedder } from '../embed/embedder.ts'
import type { BuildSpeed, IndexProgress } from '../records/indexes.ts'
import type { BuildProgress } from './lifecycle.ts'

/** The speed is that of at least this time, so that it follows the load of the machine without jumping about. */
const WINDOW_MS = 30_000

/** How many passages the index had at a time. */
interface Mark {
  at: number
  passages: number
}

/** Measures how fast an index is built, from the moment that this process begins or continues to build it. */
export class BuildMeter {
  readonly #embedder: Pick<Embedder, 'work' | 'tokensPerSecond'>
  readonly #held: number
  readonly #before: number
  readonly #now: () => number
  /** The speed is measured from here on. */
  #since: Mark
  /** Takes the place of `#since` once it is old enough. */
  #next: Mark

  /** `held`: how many passages the index has already. `now` returns milliseconds. */
  constructor(embedder: Pick<Embedder, 'work' | 'tokensPerSecond'>, held: number, now = () => performance.now()) {
    this.#embedder = embedder
    this.#held = held
    this.#before = embedder.work.passages
    this.#now = now
    this.#since = { at: now(), passages: held }
    this.#next = this.#since
  }

  progress(stored: IndexProgress): BuildProgress {
    return withSpeed(stored, this.measure(stored))
  }

  /** Measures the speed, given what the records say about the index now. */
  measure(stored: IndexProgress): BuildSpeed {
    const { work, tokensPerSecond } = this.#embedder
    const embedded = this.#held + work.passages - this.#before
    const mark = { at: this.#now(), passages: passagesDone(stored, embedded) }
    const since = { secondsAgo: (mark.at - this.#since.at) / 1000, passages: this.#since.passages }
    if (mark.at - this.#next.at >= WINDOW_MS) {
      this.#since = this.#next
      this.#next = mark
    }
    return { embedded, tokensPerSecond, since }
  }
}

/** Adds the speed to what the records say about an index. */
export function withSpeed(stored: IndexProgress, { embedded, tokensPerSecond, since }: BuildSpeed): BuildProgress {
  const done = passagesDone(stored, embedded)
  const added = done - since.passages
  const secondsLeft = added <= 0 ? null : Math.ceil(((stored.passagesTotal - done) * since.secondsAgo) / added)
  return { ...stored, passagesDone: done, tokensPerSecond, secondsLeft }
}

/** Adds what the model has embedded since the last commit, so that a slow model shows progress from its first batch on. */
function passagesDone(stored: IndexProgress, embedded: number): number {
  return Math.min(stored.passagesTotal, Math.max(stored.passagesDone, embedded))
}
