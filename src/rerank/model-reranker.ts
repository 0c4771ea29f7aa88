import type { RerankConfig } from '../config/config.ts'
import { cutToTokens } from '../text/model-tokens.ts'
import type { ModelKeeper } from './model-keeper.ts'
import { NoTurn, type RerankModel, RerankModelError } from './rerank-model.ts'
import type { RerankCandidate, Reranker, RerankOutcome, RerankRequest } from './reranker.ts'

/** The order that the model starts from. It stays if there is no model. */
const BASE = 'builtin'

type ModelTuning = Pick<RerankConfig, 'deadlineMs' | 'candidates' | 'passageTokens'>

/**
 * Creates a reranker that orders the best results by a model's scores. Passages without a score by the deadline keep their places. Without the
 * model, the built-in order stands and the outcome says why.
 */
export function createModelReranker(keeper: ModelKeeper, tuning: ModelTuning, state: Reranker['state']): Reranker {
  async function rerank(request: RerankRequest): Promise<RerankOutcome> {
    const { candidates: ranked, before } = request
    const model = keeper.current()
    const withoutModel = (why: string | null, degraded: RerankOutcome['degraded'] = null): RerankOutcome => ({
      applied: before.applied,
      model: BASE,
      scores: null,
      reason: joinReasons(why, before.reason),
      degraded,
    })
    if (model === null || ranked.length === 0) {
      const why = keeper.reason()
      return withoutModel(why, why === null ? null : 'reranker_unavailable')
    }
    const { scores, asked, failure, isLate } = await scoreBest(model, request, tuning)
    if (failure !== null) keeper.failed(model, failure)
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
      return keeper.current()?.name ?? BASE
    },
    get readsPassages() {
      return keeper.current() !== null
    },
    rerank,
    state,
    close: () => keeper.close(),
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

interface Ranked {
  id: string
  /** Score of the order so far, 0 to 1. */
  score: number
}

/**
 * Weight of the score so far against the model's, by the rank so far: at the top many words agree, and one opinion should not
 * outweigh them; further down the model knows better. A common practice, not measured here.
 */
function retrievalShare(rank: number): number {
  if (rank <= 3) return 0.75
  return rank <= 10 ? 0.6 : 0.4
}

/** Above zero, so that each following score can be lower. */
const MIN_SCORE = 1e-6
const STEP = 1 - 1e-9

interface Blended {
  scores: Map<string, number>
  /** How much each part contributes to the scores of the candidates that the model scored. */
  features: Map<string, { retrieval: number; model: number }>
}

/**
 * Returns final scores, 0 to 1, for all of `ranked` (best first). The candidates that the model scored swap places among
 * themselves, ordered by both scores; the others keep their places. Scores fall from place to place, so sorting by them gives this
 * order.
 */
export function blend(ranked: readonly Ranked[], modelScores: ReadonlyMap<string, number>): Blended {
  const features: Blended['features'] = new Map()
  const blended = ranked.flatMap(({ id, score }, i) => {
    const modelScore = modelScores.get(id)
    if (modelScore === undefined) return []
    const share = retrievalShare(i + 1)
    const parts = { retrieval: share * score, model: (1 - share) * modelScore }
    features.set(id, parts)
    return [{ id, score: parts.retrieval + parts.model }]
  })
  blended.sort((a, b) => b.score - a.score)
  const order = ranked.map((one) => (modelScores.has(one.id) ? blended.shift()! : one))
  let maxScore = 1
  const scores = new Map<string, number>()
  for (const { id, score } of order) {
    const final = Math.max(MIN_SCORE, Math.min(score, maxScore))
    maxScore = final * STEP
    scores.set(id, final)
  }
  return { scores, features }
}

/** A question may have 4,000 characters, but has to fit the model's context together with the instruction and a passage. */
const QUESTION_TOKENS = 1024

/** Returns a passage as a model reads it: title and heading, then its text, without control tokens and cut to `maxTokens`. */
function passageText({ title, heading, text }: RerankCandidate, maxTokens: number): string {
  const place = [title, heading].filter(Boolean).join(' › ')
  return cutToTokens(withoutControlTokens(place === '' ? text : `${place}\n${text}`), maxTokens)
}

function questionText(query: string): string {
  return cutToTokens(withoutControlTokens(query), QUESTION_TOKENS)
}

/**
 * Tokens that a model reads as structure instead of text: special tokens (`<|im_start|>`, also with the wide bars of some models),
 * turns, thinking, and the fields of the template.
 */
const TOKENS =
  /<[|｜][^<>|｜]{0,64}[|｜]>|<\/?(?:think|s|bos|eos|pad|unk|start_of_turn|end_of_turn|tool_call|tool_response|instruct|query|document)>|\[\/?INST\]|<<\/?SYS>>/gi

/** No text nests them this deep by accident. Deeper ones lose all their brackets and bars in one pass, so that thousands cost no more. */
const MAX_DEPTH = 8

/** Characters without any width. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Returns a text without control tokens, because in a raw prompt a passage could end its own turn and speak for the model. It also
 * removes tokens that invisible characters split, and tokens that appear only after another is removed from their middle.
 */
export function withoutControlTokens(text: string): string {
  // Joiners are invisible too, but Persian and Indic words need them: they stay where they hide no token.
  const bare = text.replace(INVISIBLE, '')
  let clean = bare.search(TOKENS) === -1 ? text : bare
  for (let pass = 0; clean.search(TOKENS) !== -1; pass++) {
    clean = clean.replace(pass < MAX_DEPTH ? TOKENS : /[<>[\]|｜]/g, ' ')
  }
  return clean
}
