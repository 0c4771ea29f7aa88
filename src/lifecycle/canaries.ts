import type { Embedder } from '../embed/embedder.ts'

/**
 * Texts whose vectors are stored with each index. A model can return other vectors under the same name and digest, for example with another
 * version of Ollama or on another device; embedding these texts again shows it. They differ in kind and language, because a fault in one may
 * leave the others as they were. Never change a text that has been released: the stored vectors belong to it.
 */
const CANARIES: readonly string[] = [
  'The tenant pays the rent on the first working day of each month.',
  'Der Vertrag verlängert sich um ein Jahr, wenn er nicht drei Monate vorher gekündigt wird.',
  '本协议自双方签字之日起生效。',
  'const sum = prices.reduce((total, price) => total + price, 0)',
]

/** The same model on other hardware stays above .999. Another tokenizer, pooling or template falls far below this. */
export const MIN_SIMILARITY = 0.98

/** Returns the vectors of the canary texts, or null when the model can't embed one of them. Throws as `embedDocuments` does. */
export async function embedCanaries(embedder: Embedder, signal: AbortSignal): Promise<Float32Array[] | null> {
  const vectors = await embedder.embedDocuments(
    CANARIES.map((text) => ({ text, title: null })),
    signal,
  )
  return vectors.every((vector) => vector !== null) ? vectors : null
}

/** Returns the cosine similarity of the two vectors that differ most, or 0 when they can't be compared. All vectors have length 1. */
export function leastSimilarity(before: readonly Float32Array[], now: readonly Float32Array[]): number {
  if (before.length !== now.length) return 0
  return Math.min(...before.map((vector, i) => cosine(vector, now[i]!)))
}

export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
