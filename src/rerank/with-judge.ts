import { blend, type Ranked } from './blend.ts'
import { type Judge, JudgeError } from './judge.ts'
import { passageText, questionText } from './passages.ts'
import type { RerankCandidate, Reranker, RerankOutcome, RerankRequest } from './reranker.ts'

export interface JudgeTuning {
  /** Milliseconds a question's passages have in all; what is not judged by then keeps its place. */
  deadlineMs: number
  /** Of so many of the best passages a judgement is asked. */
  candidates: number
  /** So many tokens of each are shown to the model. */
  passageTokens: number
}

/** Where the judge of the moment comes from. */
export interface JudgeSource {
  /** Null while none can be used. */
  current(): Judge | null
  /** Why there is none, where one was asked for. */
  reason(): string | null
  /** It did not do what it should: it is set aside until it has shown that it can. */
  failed(judge: Judge, error: JudgeError): void
}

/** The order of `base`, its best put into a better one by a model. Without the model, or when it fails, the order of `base` stands and the outcome says why. */
export function createJudgedReranker(source: JudgeSource, base: Reranker, tuning: JudgeTuning): Reranker {
  async function rerank(request: RerankRequest): Promise<RerankOutcome> {
    const before = await base.rerank(request)
    const judge = source.current()
    const instead = (why: string | null): RerankOutcome => ({ model: base.model, ...before, reason: joined(why, before.reason) })
    if (judge === null || request.candidates.length === 0) return instead(source.reason())
    const ranked = order(request.candidates, before.scores)
    const { judged, asked, failure } = await judgeBest(judge, request, ranked, tuning)
    if (failure !== null) source.failed(judge, failure)
    if (request.signal.aborted) return instead('Nobody waits for the model any longer.')
    if (judged.size === 0) return instead(failure?.message ?? `${judge.name} could judge none of ${asked} passages.`)
    return {
      applied: true,
      model: judge.name,
      isByModel: true,
      ...blend(ranked, judged),
      reason: incomplete(judge, judged.size, asked, tuning),
    }
  }
  return {
    get model() {
      return source.current()?.name ?? base.model
    },
    get readsPassages() {
      return source.current() !== null || base.readsPassages
    },
    rerank,
  }
}

type Judged = RerankCandidate & Ranked

/** Best first, those the base left out behind the others. */
function order(candidates: readonly RerankCandidate[], scores: ReadonlyMap<string, number> | null): Judged[] {
  if (scores === null) return [...candidates]
  const scored = candidates.flatMap((one) => (scores.has(one.id) ? [{ ...one, score: scores.get(one.id)! }] : []))
  const most = Math.min(1, ...scored.map(({ score }) => score))
  const rest = candidates.filter(({ id }) => !scores.has(id)).map((one) => ({ ...one, score: Math.min(most, one.score) }))
  return [...scored.toSorted((a, b) => b.score - a.score), ...rest]
}

async function judgeBest(
  judge: Judge,
  { query, signal }: RerankRequest,
  ranked: readonly Judged[],
  { deadlineMs, candidates, passageTokens }: JudgeTuning,
): Promise<{ judged: ReadonlyMap<string, number>; asked: number; failure: JudgeError | null }> {
  const judged = new Map<string, number>()
  const best = ranked.slice(0, candidates)
  const deadline = AbortSignal.timeout(deadlineMs)
  const stop = AbortSignal.any([signal, deadline])
  const done = (failure: JudgeError | null) => ({
    judged: failure === null ? judged : new Map<string, number>(),
    asked: best.length,
    failure,
  })
  const texts = best.map((candidate) => passageText(candidate, passageTokens))
  try {
    await judge.judge(questionText(query), texts, stop, (index, score) => {
      if (!stop.aborted) judged.set(best[index]!.id, score)
    })
    return done(null)
  } catch (error) {
    if (stop.aborted) {
      const late = `${judge.name} judged no passage within ${deadlineMs / 1000} s.`
      return done(!signal.aborted && judged.size === 0 ? new JudgeError('reranker_unavailable', late, error) : null)
    }
    if (error instanceof JudgeError) return done(error)
    throw error
  }
}

function incomplete(judge: Judge, judged: number, asked: number, { deadlineMs }: JudgeTuning): string | null {
  if (judged === asked) return null
  return `${judge.name} judged ${judged} of ${asked} passages within ${deadlineMs / 1000} s; the others keep their places.`
}

function joined(...reasons: (string | null)[]): string | null {
  return reasons.filter((reason) => reason !== null).join(' ') || null
}
