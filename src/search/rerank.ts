import type { Logger } from '../core/logger.ts'
import type { Passage } from '../index/chunk-index.ts'
import type { Reranker } from '../rerank/reranker.ts'
import { DeadlinePassed, withDeadline } from './deadline.ts'
import type { Candidate } from './fuse.ts'
import type { SearchOutcome } from './search.ts'

/** Only so many of the best are looked at again, the same on every page. */
const RERANKED = 100

export interface RerankOptions {
  query: string
  candidates: readonly Candidate[]
  reranker: Reranker
  passages: (chunkIds: readonly string[]) => Promise<ReadonlyMap<string, Passage>>
  deadlineMs: number
  signal: AbortSignal | undefined
  log: Logger
}

export interface Reranked {
  candidates: readonly Candidate[]
  report: SearchOutcome['rerank']
}

/** Reorders the best candidates; a reranker that fails or is late leaves the fused order, and the report says so. */
export async function rerankBest(options: RerankOptions): Promise<Reranked> {
  const { query, candidates, reranker, signal, deadlineMs, log } = options
  const started = performance.now()
  const report = (applied: boolean, reason: string | null, model = reranker.model): SearchOutcome['rerank'] => ({
    applied,
    model,
    tookMs: performance.now() - started,
    reason,
  })
  if (candidates.length === 0) return { candidates, report: report(false, 'There was nothing to reorder.') }
  try {
    const outcome = await withDeadline(deadlineMs, signal, async (stop) =>
      reranker.rerank({ query, candidates: await withTexts(options), signal: stop }),
    )
    const { scores } = outcome
    if (!outcome.applied || scores === null) return { candidates, report: report(false, outcome.reason, outcome.model) }
    return { candidates: reorder(candidates, scores), report: report(true, outcome.reason, outcome.model) }
  } catch (error) {
    signal?.throwIfAborted()
    log.warn({ err: error, model: reranker.model }, 'not reranked')
    const why = error instanceof DeadlinePassed ? `did not answer within ${deadlineMs / 1000} s` : 'failed'
    return { candidates, report: report(false, `The reranker ${why}: this is the fused order.`) }
  }
}

async function withTexts({ candidates, reranker, passages }: RerankOptions) {
  // The fused order itself reads no text, so none is fetched.
  if (reranker.model === null) return []
  const best = candidates.slice(0, RERANKED)
  const texts = await passages(best.map((candidate) => candidate.id))
  return best.flatMap(({ id, score }) => {
    const passage = texts.get(id)
    return passage === undefined
      ? []
      : [{ id, text: passage.text, title: passage.title || null, heading: passage.heading, score }]
  })
}

/** Those with a score first, by it; the others behind them in their old order, none with a higher score than the last of the first. */
export function reorder(candidates: readonly Candidate[], scores: ReadonlyMap<string, number>): Candidate[] {
  const first = candidates
    .filter((candidate) => scores.has(candidate.id))
    .map((candidate) => ({ ...candidate, score: Math.min(1, Math.max(0, scores.get(candidate.id)!)) }))
    .sort((a, b) => b.score - a.score || a.stages.fused.rank - b.stages.fused.rank)
    .map((candidate, i) => ({ ...candidate, stages: { ...candidate.stages, rerank: { rank: i + 1, score: candidate.score } } }))
  const most = first.at(-1)?.score ?? 1
  const rest = candidates
    .filter((candidate) => !scores.has(candidate.id))
    .map((candidate) => ({ ...candidate, score: Math.min(most, candidate.score) }))
  return [...first, ...rest]
}
