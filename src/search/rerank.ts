import type { Logger } from '../core/logger.ts'
import type { DegradedReason } from '../core/telemetry.ts'
import type { PassageIndex } from '../index/passage-index.ts'
import type { RerankCandidate, Reranker } from '../rerank/reranker.ts'
import { DeadlinePassed, withDeadline } from '../core/deadline.ts'
import type { Found } from './find-request.ts'
import type { ModelScores } from './reorder.ts'
import type { SearchOutcome } from './search.ts'

export interface RerankOptions {
  query: string
  /** Who asks. */
  user: string
  /** The passages that the search found, in the order of the reranker's `base`. */
  found: Pick<Found, 'forModel' | 'rerank' | 'groups'>
  reranker: Reranker
  index: Pick<PassageIndex, 'passages'>
  deadlineMs: number
  signal: AbortSignal | undefined
  log: Logger
}

export interface Reranked {
  /** The scores of a model that read the passages. Null keeps the order that the search found. */
  scores: ModelScores | null
  report: SearchOutcome['rerank']
  degraded: DegradedReason | null
}

/** Lets the reranker reorder the best candidates. When it fails or is late, the order stays and the report says so. */
export async function rerankBest({
  query,
  user,
  found,
  reranker,
  index,
  deadlineMs,
  signal,
  log,
}: RerankOptions): Promise<Reranked> {
  const started = performance.now()
  const { tookMs, ...before } = found.rerank
  const report = (outcome: { applied: boolean; reason: string | null; model?: string | null }): SearchOutcome['rerank'] => ({
    model: reranker.model,
    ...outcome,
    tookMs: tookMs + performance.now() - started,
  })
  if (found.groups.length === 0) return { scores: null, report: report(before), degraded: null }
  try {
    const candidates = await read(found.forModel, index)
    const {
      scores,
      features,
      degraded = null,
      ...outcome
    } = await withDeadline(deadlineMs, signal, (stop) => reranker.rerank({ query, candidates, before, user, signal: stop }))
    return { scores: scores && { scores, features }, report: report(outcome), degraded }
  } catch (error) {
    signal?.throwIfAborted()
    log.warn({ err: error, model: reranker.model }, 'not reranked')
    const isLate = error instanceof DeadlinePassed
    const why = isLate ? `did not answer within ${deadlineMs / 1000} s` : 'failed'
    return {
      scores: null,
      report: report({ ...before, reason: `The reranker ${why}: this is the order without it.` }),
      degraded: isLate ? 'reranker_timeout' : 'reranker_failed',
    }
  }
}

/** Reads the texts of candidates. Leaves out passages that no longer exist. */
async function read(candidates: Found['forModel'], index: RerankOptions['index']): Promise<RerankCandidate[]> {
  if (candidates.length === 0) return []
  const texts = await index.passages(candidates.map(({ row }) => row))
  return candidates.flatMap(({ id, row, score }) => {
    const passage = texts.get(row)
    if (passage === undefined) return []
    return { id, score, text: passage.text, title: passage.title || null, heading: passage.heading }
  })
}
