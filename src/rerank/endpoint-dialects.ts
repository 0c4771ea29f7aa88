import { z } from 'zod'
import { RerankModelError } from './rerank-model.ts'

/** The request format of a rerank endpoint. Jina, Cohere (v1 and v2), vLLM and llama-server take `documents`; Text Embeddings Inference (TEI) takes `texts`. */
export type Dialect = 'documents' | 'texts'

export function requestBody(dialect: Dialect, model: string | null, query: string, passages: readonly string[]): object {
  // Without `raw_scores`, TEI gives 0 to 1. With `truncate` it cuts long passages, as the other servers do, instead of refusing them.
  if (dialect === 'texts') return { query, texts: passages, truncate: true }
  return { ...(model !== null && { model }), query, documents: passages, top_n: passages.length }
}

const scored = z.union([
  z
    .object({ index: z.int(), relevance_score: z.number() })
    .transform(({ index, relevance_score }) => ({ index, score: relevance_score })),
  z.object({ index: z.int(), score: z.number() }),
])
const answer = z.union([z.object({ results: z.array(scored) }).transform(({ results }) => results), z.array(scored)])

/**
 * Returns the scores by index, as the endpoint gives them. Throws RerankModelError for any other shape, and for an index that no passage
 * has or that comes twice.
 */
export function readAnswer(body: unknown, passages: number): Map<number, number> {
  const parsed = answer.safeParse(body)
  if (!parsed.success)
    throw new RerankModelError(
      'reranker_unsuitable',
      'the answer has neither `results` with `relevance_score` nor a list with `score`',
    )
  const scores = new Map<number, number>()
  for (const { index, score } of parsed.data) {
    if (index < 0 || index >= passages)
      throw new RerankModelError('reranker_unsuitable', `the answer has index ${index} of ${passages} passages`)
    if (scores.has(index)) throw new RerankModelError('reranker_unsuitable', `the answer has index ${index} twice`)
    scores.set(index, score)
  }
  return scores
}

/** Maps a logit to 0 to 1 by the logistic function. Scaling between the lowest and the highest score would turn the best of bad passages into a 1. */
export function fromLogit(score: number): number {
  return 1 / (1 + Math.exp(-score))
}

export function isProbability(score: number): boolean {
  return score >= 0 && score <= 1
}
