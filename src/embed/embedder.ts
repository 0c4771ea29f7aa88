import type { ErrorCode } from '../core/errors.ts'

/** Turns text into vectors. One conformance suite (test/conformance/embedder.ts) holds for every implementation. */
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
  /** Most tokens, by `countTokens`, the text of one input may have; room for the model's prefix and a title is already taken off. */
  readonly maxTokens: number
  /**
   * Weight of the vector channel in linear fusion of normalised scores; belongs to the model (see registry.ts), and to the question (its vector)
   * where the model knows it more or less well.
   */
  fusionWeight(question: Float32Array): number
  /**
   * Cosine similarity that chance alone gives a question (its vector) and the nearest of so many passages. A passage that shares no word with the
   * question and is no nearer than this is not a find. 0 for a model whose similarities mean something all the way down.
   */
  noiseFloor(passages: number, question: Float32Array): number
  /**
   * Names everything that makes two vectors comparable: model, digest, template version, dimensions.
   * An index made under one fingerprint is never queried under another.
   */
  readonly fingerprint: string
  /** Which estimate of tokens.ts `countTokens` is, so that another thread counts the same. */
  readonly tokenCounter: 'words' | 'subwords'
  /** Tokens as this model counts them, or a bound from above where its tokenizer is not at hand. */
  countTokens(text: string): number
  /**
   * Vectors of length 1 in the order of the inputs. A text the model cannot embed gives null (it is set aside with a
   * warning, the batch goes on). Throws DocsearchError `embedder_unavailable` when it cannot be reached or is overloaded (with
   * retryAfter), `embedding_model_changed` when the model under this name is no longer the one of the fingerprint.
   */
  embedDocuments(inputs: readonly EmbeddingInput[], signal?: AbortSignal): Promise<(Float32Array | null)[]>
  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array>
  /** One cheap call that shows whether it works now. Never throws. */
  check(signal?: AbortSignal): Promise<EmbedderHealth>
  close(): Promise<void>
}

export interface EmbeddingInput {
  text: string
  /** Document title and heading path, for models whose template has a place for them. */
  title: string | null
}

export type EmbedderCode = 'ok' | ErrorCode

export interface EmbedderHealth {
  ok: boolean
  code: EmbedderCode
  message: string
}
