import { silentLogger } from '../../../src/core/logger.ts'
import { chooseReranker } from '../../../src/rerank/choose.ts'
import type { ChosenReranker, RerankerSettings } from '../../../src/rerank/choose.ts'
import type { RerankCandidate, RerankOutcome } from '../../../src/rerank/reranker.ts'
import { queryWords } from '../../../src/text/analyse.ts'

export const QUESTION = 'harbour closed winter'

/** From the best to the worst of retrieval; the model of the fakes prefers shared words. */
export const PASSAGES = ['Boats leave at noon.', 'The harbour office.', 'The harbour is closed in winter.', 'Winter coats.']

export function candidatesOf(texts: readonly string[] = PASSAGES): RerankCandidate[] {
  return texts.map((text, i) => ({
    id: `c${i}`,
    text,
    title: null,
    heading: '',
    terms: text.toLowerCase(),
    score: 0.9 - i / 100,
    vectorPart: 0,
    keywordScore: 9 - i / 10,
  }))
}

const RETRY = { firstMs: 10, mostMs: 20, unsuitableMs: 10 }

export async function choose(
  setting: string,
  ollamaUrl: string,
  change: Partial<RerankerSettings> = {},
): Promise<ChosenReranker> {
  return chooseReranker({
    setting,
    ollamaUrl,
    model: null,
    key: null,
    deadlineMs: 10_000,
    candidates: 25,
    passageTokens: 512,
    parallel: 1,
    log: silentLogger,
    startMs: 10_000,
    retry: RETRY,
    ...change,
  })
}

export function ask(
  { reranker }: ChosenReranker,
  texts: readonly string[] = PASSAGES,
  signal = new AbortController().signal,
  query = QUESTION,
): Promise<RerankOutcome> {
  return reranker.rerank({ query, words: queryWords(query), idf: () => 1, candidates: candidatesOf(texts), signal })
}

/** Ids, best first. */
export function orderOf({ scores }: RerankOutcome): string[] {
  return [...(scores ?? new Map<string, number>())].toSorted(([, a], [, b]) => b - a).map(([id]) => id)
}
