/** What one call of `embedDocuments` should have at most. A single longer text is a call of its own. */
export interface BatchLimits {
  inputs: number
  /** By `countTokens`. */
  tokens: number
}

/** A query that arrives during a batch waits for the rest of it, so that a batch should take less than a second even when the estimate is wrong. */
const TARGET_MS = 300
/** On a slow machine, a larger first batch already takes many seconds. */
const FIRST_TOKENS = 256
const MIN_TOKENS = 64
/** No machine gets more into one call, because a call that fails is repeated as a whole. */
const MAX: BatchLimits = { inputs: 64, tokens: 16_384 }
/** How much larger than the last batch the next one may be: the time of a small batch says little about a large one. */
const GROWTH = 1.5
/** Weight of the last batch in the average speed. */
const LAST_SHARE = 0.3

/** Sizes batches by the time that they take on this machine, from the measured speed in tokens per second. */
export class BatchSize {
  /** A moving average. Null until the first batch is measured. */
  #tokensPerSecond: number | null = null
  #tokens = FIRST_TOKENS

  get tokensPerSecond(): number | null {
    return this.#tokensPerSecond
  }

  get limits(): BatchLimits {
    return { inputs: MAX.inputs, tokens: this.#tokens }
  }

  /** Reports a batch that succeeded. A slow one makes the next batches smaller at once; a fast one makes them larger step by step. */
  measured(tokens: number, ms: number): void {
    if (tokens <= 0) return
    const last = (tokens * 1000) / Math.max(ms, 1)
    const average = this.#tokensPerSecond ?? last
    this.#tokensPerSecond = ms > TARGET_MS ? Math.min(average, last) : average + LAST_SHARE * (last - average)
    const fitting = (this.#tokensPerSecond * TARGET_MS) / 1000
    const grown = Math.max(this.#tokens, GROWTH * Math.min(tokens, this.#tokens))
    this.#tokens = Math.round(Math.max(MIN_TOKENS, Math.min(MAX.tokens, fitting, grown)))
  }
}
