import type { Logger } from '../core/logger.ts'
import type { Passage } from '../index/chunk-index.ts'
import type { RerankCandidate, Reranker, RerankOutcome, RerankRequest } from '../rerank/reranker.ts'
import type { QueryWord } from '../text/analyse.ts'
import { DeadlinePassed, withDeadline } from './deadline.ts'
import type { Candidate } from './fuse.ts'
import { type Frequencies, inverseFrequency } from './frequencies.ts'
import type { SearchOutcome } from './search.ts'

/** How many of the best candidates are reranked, the same on every result page. A hundred improve no judged collection further. */
const MAX_RERANKED = 50

export interface RerankOptions {
  query: string
  words: readonly QueryWord[]
  frequencies: Frequencies
  candidates: readonly Candidate[]
  reranker: Reranker
  passages: (passageIds: readonly string[]) => Promise<ReadonlyMap<string, Passage>>
  deadlineMs: number
  signal: AbortSignal | undefined
  log: Logger
}

export interface Reranked {
  candidates: readonly Candidate[]
  /** True when a model read the passages and made this order. */
  isByModel: boolean
  report: SearchOutcome['rerank']
}

/** Reorders the best candidates. When the reranker fails or is late, the fused order stays and the report says so. */
export async function rerankBest(options: RerankOptions): Promise<Reranked> {
  const { candidates, reranker, signal, deadlineMs, log } = options
  const started = performance.now()
  const report = (applied: boolean, reason: string | null, model = reranker.model): SearchOutcome['rerank'] => ({
    applied,
    model,
    tookMs: performance.now() - started,
    reason,
  })
  const inOldOrder = (reason: string | null, model = reranker.model): Reranked => ({
    candidates,
    isByModel: false,
    report: report(false, reason, model),
  })
  if (candidates.length === 0) return inOldOrder('There was nothing to reorder.')
  try {
    const request = await requestOf(options)
    const outcome = await withDeadline(deadlineMs, signal, (stop) => reranker.rerank({ ...request, signal: stop }))
    const { scores, features, isByModel = false } = outcome
    if (!outcome.applied || scores === null) return inOldOrder(outcome.reason, outcome.model)
    return {
      candidates: reorder(candidates, scores, features),
      isByModel,
      report: report(true, outcome.reason, outcome.model),
    }
  } catch (error) {
    signal?.throwIfAborted()
    log.warn({ err: error, model: reranker.model }, 'not reranked')
    const why = error instanceof DeadlinePassed ? `did not answer within ${deadlineMs / 1000} s` : 'failed'
    return inOldOrder(`The reranker ${why}: this is the fused order.`)
  }
}

async function requestOf(options: RerankOptions): Promise<Omit<RerankRequest, 'signal'>> {
  const { query, words, frequencies, candidates, reranker, passages } = options
  if (!reranker.readsPassages) return { query, words, idf: () => 0, candidates: [] }
  const best = candidates.slice(0, MAX_RERANKED)
  const [texts, counted] = await Promise.all([
    passages(best.map((candidate) => candidate.id)),
    frequencies(words.flatMap((word) => word.terms)),
  ])
  const found = best.flatMap((candidate): RerankCandidate[] => {
    const passage = texts.get(candidate.id)
    if (passage === undefined) return []
    const { id, score, vectorPart, keywordScore } = candidate
    const { text, title, heading, terms } = passage
    return [{ id, text, title: title || null, heading, terms, score, vectorPart, keywordScore }]
  })
  return { query, words, idf: inverseFrequency(counted, words, found), candidates: found }
}

/** Puts candidates with a new score first, best first. The others follow in their old order, with scores no higher. */
export function reorder(
  candidates: readonly Candidate[],
  scores: ReadonlyMap<string, number>,
  features?: RerankOutcome['features'],
): Candidate[] {
  const explained = (id: string) => {
    const parts = features?.get(id)
    return parts === undefined ? {} : { features: parts }
  }
  const first = candidates
    .filter((candidate) => scores.has(candidate.id))
    .map((candidate) => ({ ...candidate, score: Math.min(1, Math.max(0, scores.get(candidate.id)!)) }))
    .sort((a, b) => b.score - a.score || a.stages.fused.rank - b.stages.fused.rank)
    .map((candidate, i) => {
      const { id, score, stages } = candidate
      return { ...candidate, stages: { ...stages, rerank: { rank: i + 1, score, ...explained(id) } } }
    })
  const maxScore = first.at(-1)?.score ?? 1
  const rest = candidates
    .filter((candidate) => !scores.has(candidate.id))
    .map((candidate) => ({ ...candidate, score: Math.min(maxScore, candidate.score) }))
  return [...first, ...rest]
}
