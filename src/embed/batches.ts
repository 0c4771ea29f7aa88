import type { Logger } from '../core/logger.ts'
import { OllamaCallError } from '../ollama/client.ts'

/** What one call of `embedDocuments` should have at most. A single longer text is a separate call. */
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

type EmbedBatch = (texts: string[]) => Promise<(Float32Array | null)[]>

/** A word that every model can embed. */
const PLAIN_WORD = 'document'

/**
 * Embeds texts in bounded batches. A text that is too long, or for which the model gives only NaN, fails its whole batch at Ollama. The
 * batch is then halved until that text is alone, and its vector is null. Throws when the model gives NaN even for a plain word, because
 * then the texts are not at fault.
 */
export async function embedWithBisection(
  texts: readonly (string | null)[],
  bounds: { batchInputs: number; batchChars: number },
  embed: EmbedBatch,
  log: Logger,
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = texts.map(() => null)
  let notFinite = false
  for (const batch of batchesOf(texts, bounds)) {
    await fill(batch)
  }
  if (notFinite && !vectors.some((vector) => vector !== null)) {
    const [vector] = await embed([PLAIN_WORD])
    if (vector === null || vector === undefined)
      throw new OllamaCallError('not_finite', 'the model returns no usable vector, even for one plain word')
  }
  return vectors

  async function fill(batch: readonly number[]): Promise<void> {
    try {
      const found = await embed(batch.map((i) => texts[i]!))
      for (const [at, i] of batch.entries()) vectors[i] = found[at] ?? null
      if (found.includes(null)) notFinite = true
    } catch (error) {
      if (!(error instanceof OllamaCallError) || (error.failure !== 'too_long' && error.failure !== 'not_finite')) throw error
      if (batch.length > 1) {
        const half = batch.length >> 1
        await fill(batch.slice(0, half))
        await fill(batch.slice(half))
        return
      }
      if (error.failure === 'not_finite') notFinite = true
      log.warn(
        { failure: error.failure, chars: texts[batch[0]!]!.length },
        'a passage cannot be embedded and is found by keywords only',
      )
    }
  }
}

/** Splits the indexes of the texts that are not null into batches, by number and size. */
function batchesOf(
  texts: readonly (string | null)[],
  { batchInputs, batchChars }: { batchInputs: number; batchChars: number },
): number[][] {
  const batches: number[][] = []
  let chars = Infinity
  for (const [i, text] of texts.entries()) {
    if (text === null) continue
    if (chars + text.length > batchChars || batches.at(-1)!.length >= batchInputs) {
      batches.push([])
      chars = 0
    }
    batches.at(-1)!.push(i)
    chars += text.length
  }
  return batches
}
