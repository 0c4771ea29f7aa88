/** Far more than the callers of any instance. An attacker with more addresses makes the counter forget the oldest keys. */
const MAX_WINDOWS = 100_000

/** The state of one key in its current window. */
export interface RateState {
  /** True when the key is over its limit. */
  isOver: boolean
  limit: number
  remaining: number
  /** Milliseconds until the window ends and the key can start again. */
  resetMs: number
}

/** Counts events by key. In memory it answers at once; counters that several processes share take a moment. */
export interface Counter {
  readonly limit: number
  /** Counts one event. */
  take(key: string): RateState | Promise<RateState>
  /** Returns the state of a key without counting an event. `isOver` is true if the next event would be over the limit. */
  peek(key: string): RateState | Promise<RateState>
  /** Takes back one counted event, unless its window has ended. */
  takeBack(key: string): void | Promise<void>
  forget(key: string): void | Promise<void>
}

/** Makes a counter. Shared counters of one name count together. */
export type MakeCounter = (options: { name: string; limit: number; seconds: number }) => Counter

/** Makes counters of one process, which a restart empties. */
export const countInMemory: MakeCounter = (options) => new RateCounter(options)

interface Window {
  count: number
  endsAt: number
}

/**
 * Counts events by key, by a clock that never jumps: otherwise a correction of the machine's clock could lock out a key for days. The window of a key starts with its first event. Memory is bounded, because attackers choose the keys:
 * when a window starts, the counter removes ended windows, and the oldest window if there are more than `maxKeys`.
 */
export class RateCounter implements Counter {
  readonly limit: number
  readonly #windowMs: number
  readonly #maxKeys: number
  /** The windows in the order in which they started, which is also the order in which they end. */
  readonly #windows = new Map<string, Window>()

  constructor({ limit, seconds, maxKeys = MAX_WINDOWS }: { limit: number; seconds: number; maxKeys?: number }) {
    this.limit = limit
    this.#windowMs = seconds * 1000
    this.#maxKeys = maxKeys
  }

  /** Number of keys in memory. */
  get size(): number {
    return this.#windows.size
  }

  /** Counts one event. */
  take(key: string): RateState {
    const window = this.#current(key) ?? this.#start(key)
    window.count++
    return this.#state(window)
  }

  /** Returns the state of a key without counting an event. `isOver` is true if the next event would be over the limit. */
  peek(key: string): RateState {
    const window = this.#current(key) ?? { count: 0, endsAt: performance.now() + this.#windowMs }
    return this.#state({ ...window, count: window.count + 1 })
  }

  /** Takes back one counted event, unless its window has ended. */
  takeBack(key: string): void {
    const window = this.#current(key)
    if (window !== undefined && window.count > 0) window.count--
  }

  forget(key: string): void {
    this.#windows.delete(key)
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key)
    return window !== undefined && window.endsAt > performance.now() ? window : undefined
  }

  #start(key: string): Window {
    const now = performance.now()
    this.#windows.delete(key)
    for (const [oldest, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < this.#maxKeys) break
      this.#windows.delete(oldest)
    }
    const window = { count: 0, endsAt: now + this.#windowMs }
    this.#windows.set(key, window)
    return window
  }

  #state({ count, endsAt }: Window): RateState {
    const remaining = Math.max(0, this.limit - count)
    return { isOver: count > this.limit, limit: this.limit, remaining, resetMs: Math.max(0, endsAt - performance.now()) }
  }
}
