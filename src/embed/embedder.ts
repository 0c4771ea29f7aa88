import type { ErrorCode } from '../core/errors.ts'
import type { NoiseFloor } from '../core/noise.ts'
import type { TokenCounter } from '../text/model-tokens.ts'
import type { BatchLimits } from './batches.ts'

/** Turns text into vectors. The promises of every implementation are in test/conformance/embedder.ts. */
export interface Embedder {
  /** What users see as `embedding_model`: `builtin` or `ollama:embeddinggemma`. */
  readonly name: string
  /** False for a placeholder that only names an index's model, while that model can't be used: each of its calls fails. */
  readonly canEmbed: boolean
  /** True when another program serves the model: its weights can change under the same name. */
  readonly isExternal: boolean
  /** The model's bytes, for other threads that compute the same vectors. Null when this process doesn't have the model. */
  readonly sharedModel: SharedArrayBuffer | null
  readonly dimensions: number
  /** The most tokens, by `countTokens`, that the text of one input may have. Room for the model's prefix and a title is already subtracted. */
  readonly maxTokens: number
  /**
   * Returns the weight of the vector channel in the fusion of normalised scores. It depends on the model (registry.ts), and on the
   * question and its vector when the model understands some questions better than others.
   */
  fusionWeight(question: Float32Array, query: string): number
  /**
   * Returns whether the vector of a question says what the question means. If not, the nearest passages that share no word with the
   * question have nothing to do with it.
   */
  hasMeaning(question: Float32Array): boolean
  /** Returns which passages a hybrid search drops as noise. Null: as the measurement for the index says (`lifecycle/drift.ts`). */
  noiseFloor(question: Float32Array): NoiseFloor | null
  /**
   * Names everything that makes two vectors comparable: model, digest, template version, dimensions. A search never compares vectors
   * of different fingerprints.
   */
  readonly fingerprint: string
  /** What `countTokens` uses, so that another thread can use the same. */
  readonly tokenCounter: TokenCounter
  /** What the next call of `embedDocuments` should have at most, so that queries don't wait long for it. It changes with the measured speed. */
  readonly batchLimits: BatchLimits
  /** The measured speed with documents, as a moving average. Null while nothing is measured, and for the built-in embedder. */
  readonly tokensPerSecond: number | null
  /** What it has embedded for indexes since it was created. Code that embeds for an index counts its work here (`ingest/batcher.ts`). */
  readonly work: { passages: number }
  /** Returns the number of tokens of this model, or an estimate when its tokenizer is not available. */
  countTokens(text: string): number
  /**
   * Returns vectors of length 1 in the order of the inputs, and null for a text that the model can't embed. Throws DocsearchError
   * `embedder_unavailable` (with `retryAfter`) when the model can't be reached or is overloaded, and `embedding_model_changed` when
   * the model under this name is no longer the one of the fingerprint.
   */
  embedDocuments(inputs: readonly EmbeddingInput[], signal?: AbortSignal): Promise<(Float32Array | null)[]>
  /**
   * The vector may be remembered, so the caller must not change it. It is remembered for `user` only, because the time that an answer takes must
   * not tell one user what another has asked. Aborting with DeadlinePassed tells the embedder that its server is too slow.
   */
  embedQuery(query: string, signal?: AbortSignal, user?: string): Promise<Float32Array>
  /** Makes one cheap call that shows whether the embedder works now. Never throws. */
  check(signal?: AbortSignal): Promise<EmbedderHealth>
  close(): Promise<void>
}

export interface EmbeddingInput {
  text: string
  /** Document title and heading path. Models whose template has no place for them ignore it. */
  title: string | null
}

export type EmbedderCode = 'ok' | ErrorCode

export interface EmbedderHealth {
  ok: boolean
  code: EmbedderCode
  message: string
}
