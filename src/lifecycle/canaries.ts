import type { Embedder } from '../embed/embedder.ts'

/**
 * Texts whose vectors are kept with an index. A model can give other vectors under the same name and digest (another version of Ollama, another
 * device): embedded again, these show it. Of several kinds and languages, because a fault in one of them may leave the others as they were.
 * None that has been released is changed: the vectors kept are of these.
 */
const CANARIES: readonly string[] = [
  'The tenant pays the rent on the first working day of each month.',
  'Der Vertrag verlängert sich um ein Jahr, wenn er nicht drei Monate vorher gekündigt wird.',
  '本协议自双方签字之日起生效。',
  'const sum = prices.reduce((total, price) => total + price, 0)',
]

/** The same model on other hardware stays above .999; a change of tokenizer, pooling or template falls far below this. */
export const LEAST_SIMILARITY = 0.98

/** Their vectors; null when the model gives none for one of them. Throws as `embedDocuments` does. */
export async function embedCanaries(embedder: Embedder, signal: AbortSignal): Promise<Float32Array[] | null> {
  const vectors = await embedder.embedDocuments(
    CANARIES.map((text) => ({ text, title: null })),
    signal,
  )
  return vectors.every((vector) => vector !== null) ? vectors : null
}

/** Cosine similarity of those that differ most; 0 when they cannot be compared. Both of length 1. */
export function leastSimilarity(before: readonly Float32Array[], now: readonly Float32Array[]): number {
  if (before.length !== now.length) return 0
  return Math.min(...before.map((vector, i) => cosine(vector, now[i]!)))
}

function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
