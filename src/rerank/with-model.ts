import { blend } from './blend.ts'
import { passageText, questionText } from './prompt-text.ts'
import { NoTurn, type RerankModel, RerankModelError } from './rerank-model.ts'
import type { Reranker, RerankOutcome, RerankRequest } from './reranker.ts'

/** The order that the model starts from. It stays if there is no model. */
const BASE = 'builtin'

export interface ModelTuning {
  /** Milliseconds the model has for all passages of a question. Passages without a score by then keep their places. */
  deadlineMs: number
  /** How many of the best passages the model scores. */
  candidates: number
  /** How many tokens of each passage the model reads. */
  passageTokens: number
}

/** Supplies the model that can be used at the moment. */
export interface ModelSource {
  /** Null while no model can be used. */
  current(): RerankModel | null
  /** Why no model can be used, when the settings ask for one. */
  reason(): string | null
  /** Reports a failure: the model is set aside until it has passed its test again. */
  failed(model: RerankModel, error: RerankModelError): void
}

/** Reorders the best results by a model's scores. Without the model, the built-in order stands and the outcome says why. */
export function createModelReranker(source: ModelSource, tuning: ModelTuning): Reranker {
  async function rerank(request: RerankRequest): Promise<RerankOutcome> {
    const { candidates: ranked, before } = request
    const model = source.current()
    const withoutModel = (why: string | null, degraded: RerankOutcome['degraded'] = null): RerankOutcome => ({
      applied: before.applied,
      model: BASE,
      scores: null,
      reason: joinReasons(why, before.reason),
      degraded,
    })
    if (model === null || ranked.length === 0) {
      const why = source.reason()
      return withoutModel(why, why === null ? null : 'reranker_unavailable')
    }
    const { scores, asked, failure, isLate } = await scoreBest(model, request, tuning)
    if (failure !== null) source.failed(model, failure)
    if (request.signal.aborted) return withoutModel('The search was cancelled.')
    if (scores.size === 0) {
      const why = failure?.message ?? noScore(model, asked, !isLate, tuning)
      return withoutModel(why, isLate ? 'reranker_timeout' : 'reranker_failed')
    }
    return {
      applied: true,
      model: model.name,
      ...blend(ranked, scores),
      reason: incomplete(model, scores.size, asked, tuning),
      degraded: scores.size === asked ? null : 'reranker_timeout',
    }
  }
  return {
    base: BASE,
    get model() {
      return source.current()?.name ?? BASE
    },
    get readsPassages() {
      return source.current() !== null
    },
    rerank,
  }
}

interface Scored {
  /** By candidate id. Empty after a failure. */
  scores: ReadonlyMap<string, number>
  asked: number
  failure: RerankModelError | null
  /** True when the model scored no passage in time, also because other searches used it all the time. */
  isLate: boolean
}

async function scoreBest(
  model: RerankModel,
  { query, candidates: ranked, user, signal }: RerankRequest,
  { deadlineMs, candidates, passageTokens }: ModelTuning,
): Promise<Scored> {
  const scores = new Map<string, number>()
  const best = ranked.slice(0, candidates)
  const stop = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const outcome = (failure: RerankModelError | null, isLate = false): Scored => ({
    scores: failure === null ? scores : new Map(),
    asked: best.length,
    failure,
    isLate,
  })
  const texts = best.map((candidate) => passageText(candidate, passageTokens))
  try {
    await model.scorePassages({ question: questionText(query), passages: texts, user, signal: stop }, (index, score) => {
      if (!stop.aborted) scores.set(best[index]!.id, score)
    })
    return outcome(null)
  } catch (error) {
    if (error instanceof NoTurn) return outcome(null, true)
    if (stop.aborted) {
      const isLate = !signal.aborted && scores.size === 0
      const message = `${model.name} scored no passage within ${deadlineMs / 1000} s.`
      return outcome(isLate ? new RerankModelError('reranker_unavailable', message, error) : null, isLate)
    }
    if (error instanceof RerankModelError) return outcome(error)
    throw error
  }
}

function incomplete(model: RerankModel, scored: number, asked: number, { deadlineMs }: ModelTuning): string | null {
  if (scored === asked) return null
  return `${model.name} scored ${scored} of ${asked} passages within ${deadlineMs / 1000} s; the others keep their places.`
}

function noScore(model: RerankModel, asked: number, hadTurn: boolean, { deadlineMs }: ModelTuning): string {
  if (hadTurn) return `${model.name} could score none of ${asked} passages.`
  return `${model.name} was busy with other searches for ${deadlineMs / 1000} s.`
}

function joinReasons(...reasons: (string | null)[]): string | null {
  return reasons.filter((reason) => reason !== null).join(' ') || null
}
