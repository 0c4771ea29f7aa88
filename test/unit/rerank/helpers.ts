import { silentLogger } from '../../../src/core/logger.ts'
import { CallQueue } from '../../../src/ollama/call-queue.ts'
import { chooseReranker, type RerankerSettings } from '../../../src/rerank/choose.ts'
import type { Reranker, RerankOutcome, RerankRequest } from '../../../src/rerank/reranker.ts'

export const QUESTION = 'harbour closed winter'

/** In the order of retrieval, best first. The fake model prefers words that the question shares. */
export const PASSAGES = ['Boats leave at noon.', 'The harbour office.', 'The harbour is closed in winter.', 'Winter coats.']

/** Passages in the order of retrieval, which the built-in reranker has not changed. */
export function requestOf(texts: readonly string[] = PASSAGES, change: Partial<RerankRequest> = {}): RerankRequest {
  const candidates = texts.map((text, i) => ({ id: `c${i}`, text, title: null, heading: '', score: 0.9 - i / 100 }))
  const before = { applied: false, reason: null }
  return { query: QUESTION, candidates, before, user: 'usr_1', signal: new AbortController().signal, ...change }
}

const RETRY = { firstMs: 10, maxMs: 20, unsuitableMs: 10 }

export async function choose(setting: string, ollamaUrl: string, change: Partial<RerankerSettings> = {}): Promise<Reranker> {
  return chooseReranker({
    setting,
    ollamaUrl,
    model: null,
    key: null,
    deadlineMs: 10_000,
    candidates: 25,
    passageTokens: 512,
    parallel: 1,
    queue: new CallQueue(),
    log: silentLogger,
    startMs: 10_000,
    retry: RETRY,
    ...change,
  })
}

export function ask(reranker: Reranker, ...what: Parameters<typeof requestOf>): Promise<RerankOutcome> {
  return reranker.rerank(requestOf(...what))
}

/** Returns the ids, best first. */
export function orderOf({ scores }: RerankOutcome): string[] {
  return [...(scores ?? new Map<string, number>())].toSorted(([, a], [, b]) => b - a).map(([id]) => id)
}
