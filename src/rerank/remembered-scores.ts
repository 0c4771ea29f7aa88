import { createHash } from 'node:crypto'
import { LruCache } from '../core/lru-cache.ts'
import type { OnScore, RerankModel, ScoreRequest } from './rerank-model.ts'

/** Some ten thousand scores. */
const MAX_BYTES = 2 * 2 ** 20
/** Key, score and bookkeeping of one passage. */
const SCORE_BYTES = 160

/**
 * Remembers the scores of a model, so that result pages, filters and repeated questions ask it only about passages that it has not scored. Each
 * user has their own: how fast an answer comes must not tell that somebody else has asked the same. The keys are hashes of question and text, so
 * that no text stays in memory. A model that is found and tested again begins without scores, because it may have other weights.
 */
export function rememberScores(model: RerankModel, maxBytes: number = MAX_BYTES): RerankModel {
  const scores = new LruCache<number>(maxBytes)
  return {
    name: model.name,
    async scorePassages({ question, passages, user, signal }: ScoreRequest, onScore: OnScore): Promise<void> {
      signal.throwIfAborted()
      const keys = passages.map((passage) => keyOf(user, question, passage))
      const unknown: number[] = []
      for (const [i, key] of keys.entries()) {
        const score = scores.get(key)
        if (score === undefined) unknown.push(i)
        else onScore(i, score)
      }
      if (unknown.length === 0) return
      const request = { question, passages: unknown.map((i) => passages[i]!), user, signal }
      await model.scorePassages(request, (at, score) => {
        const index = unknown[at]!
        scores.set(keys[index]!, score, SCORE_BYTES)
        onScore(index, score)
      })
    },
  }
}

function keyOf(...parts: readonly string[]): string {
  const hash = createHash('sha256')
  // With its length, no part can run into the next.
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.digest('base64')
}
