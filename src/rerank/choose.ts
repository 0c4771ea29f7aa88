import { createHash } from 'node:crypto'
import type { RerankConfig } from '../config/config.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import type { Logger } from '../core/logger.ts'
import { LruCache } from '../core/lru-cache.ts'
import type { RerankerState } from '../core/model.ts'
import type { CallQueue } from '../ollama/call-queue.ts'
import { createOllamaClient, OllamaCallError, withoutLatest } from '../ollama/client.ts'
import { createEndpointModel } from './endpoint-model.ts'
import { ModelKeeper, type Retry } from './model-keeper.ts'
import { createModelReranker } from './model-reranker.ts'
import { createOllamaRerankModel } from './ollama-model.ts'
import { type OnScore, type RerankModel, RerankModelError, type ScoreRequest } from './rerank-model.ts'
import { createBuiltinReranker, createFusedReranker, type Reranker } from './reranker.ts'

export interface RerankerSettings extends RerankConfig {
  /** `auto`, `builtin`, `none`, `ollama:MODEL` or the address of a rerank endpoint. */
  setting: string
  ollamaUrl: string
  /** The queue of all calls to this Ollama. */
  queue: CallQueue
  log: Logger
  startMs?: number
  retry?: Retry
}

const OLLAMA = 'ollama:'
const BUILTIN = 'builtin'
const PROBE_MS = 2_000
const TEST_MS = 120_000
/** `auto` tests at most this many models on Ollama and takes the first that passes. */
const MAX_TESTED = 3

/** Returns the reranker that the setting names. Without a usable model it falls back to the built-in reranker and says why. */
export async function chooseReranker(settings: RerankerSettings): Promise<Reranker> {
  const { setting, log, startMs, retry } = settings
  if (setting === 'none') return createFusedReranker()
  if (setting === BUILTIN) return createBuiltinReranker()
  const keeper = await ModelKeeper.start({
    find: finder(settings),
    log,
    ...(startMs !== undefined && { startMs }),
    ...(retry && { retry }),
  })
  return createModelReranker(keeper, settings, () => stateOf(keeper, settings))
}

function finder(settings: RerankerSettings): (signal: AbortSignal) => Promise<RerankModel | null> {
  const { setting, ollamaUrl, model, key, parallel, queue } = settings
  if (setting === 'auto') return (signal) => findOnOllama(settings, signal)
  const name = withoutLatest(setting.slice(OLLAMA.length))
  const make = setting.startsWith(OLLAMA)
    ? (signal: AbortSignal) => createOllamaRerankModel({ url: ollamaUrl, model: name, parallel, queue }, signal)
    : () => createEndpointModel({ url: setting, model, key })
  return (signal) => tested(make, settings, signal)
}

type Make = (signal: AbortSignal) => Promise<RerankModel> | RerankModel

/** Tests a model twice: the first test may load the model, the second has to end within the time of a search. */
async function tested(make: Make, { deadlineMs }: RerankerSettings, closing: AbortSignal): Promise<RerankModel> {
  const model = await withinTime(TEST_MS, closing, async (signal) => {
    const made = await make(signal)
    await selfTest(made, signal)
    return made
  })
  await withinTime(deadlineMs, closing, (signal) => selfTest(model, signal))
  return rememberScores(model)
}

async function withinTime<T>(ms: number, closing: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(ms)
  try {
    return await run(AbortSignal.any([closing, timeout]))
  } catch (error) {
    if (!timeout.aborted) throw error
    throw new RerankModelError('reranker_unavailable', `The reranker did not score two short texts within ${ms / 1000} s.`, error)
  }
}

/** Returns the first model on Ollama that is a reranker by its name and passes the test. Null without Ollama or such a model. */
async function findOnOllama(settings: RerankerSettings, signal: AbortSignal): Promise<RerankModel | null> {
  const { ollamaUrl: url, parallel, queue } = settings
  let names: string[]
  try {
    names = (await createOllamaClient(url).list({ timeoutMs: PROBE_MS, signal })).map(({ name }) => name)
  } catch (error) {
    if (error instanceof OllamaCallError) return null
    throw error
  }
  const rerankers = names.filter((name) => /rerank/i.test(name)).toSorted((a, b) => fitsPrompt(b) - fitsPrompt(a))
  let failure: RerankModelError | null = null
  for (const model of rerankers.slice(0, MAX_TESTED)) {
    try {
      return await tested((stop) => createOllamaRerankModel({ url, model, parallel, queue }, stop), settings, signal)
    } catch (error) {
      if (!(error instanceof RerankModelError)) throw error
      failure ??= error
    }
  }
  if (failure !== null) throw failure
  return null
}

/** 1 for the family that the prompt in ollama-model.ts was written for, else 0. */
function fitsPrompt(name: string): number {
  return Number(/qwen3[-_.]?reranker/i.test(name))
}

function stateOf(keeper: ModelKeeper, { setting, ollamaUrl }: RerankerSettings): RerankerState {
  const model = keeper.current()
  const problem = keeper.problem()
  const isAuto = setting === 'auto'
  const ollama = `Ollama at ${withoutCredentials(ollamaUrl)}`
  const fallback = 'The built-in reranker is used.'
  if (model !== null) {
    const message = isAuto
      ? `${ollama} has this model, and it passed its test.`
      : 'You chose it in the settings, and it passed its test.'
    return { status: 'ok', code: 'ok', message, model: model.name }
  }
  if (problem === null)
    return {
      status: 'ok',
      code: 'ok',
      message: `No reranker found: ${ollama} has none, or does not answer. ${fallback}`,
      model: BUILTIN,
    }
  return {
    // With `auto` nothing is missing: the settings name no model.
    status: isAuto || problem.code === 'reranker_testing' ? 'ok' : 'degraded',
    code: problem.code,
    message: `${problem.message} ${fallback}`,
    model: BUILTIN,
  }
}

const QUESTION = 'What is the capital of France?'
const ANSWER = 'Paris is the capital of France and its largest city.'
const OTHER = 'To keep bread fresh, wrap it in a cloth and put it in a dry box.'
/** Rerankers score such a pair much further apart. Chance and chat models don't reach even this gap. */
const MIN_GAP = 0.1

const NO_USER = ''

/** Throws RerankModelError `reranker_unsuitable` for a model that can't tell a plain answer from a text about something else. */
async function selfTest(model: RerankModel, signal: AbortSignal): Promise<void> {
  const scores: (number | undefined)[] = [undefined, undefined]
  // The wrong text comes first, so that a server which keeps the given order does not pass by luck.
  const request = { question: QUESTION, passages: [OTHER, ANSWER], user: NO_USER, signal }
  await model.scorePassages(request, (index, score) => (scores[index] = score))
  const [other, answer] = scores
  if (other !== undefined && answer !== undefined && answer - other >= MIN_GAP) return
  const shown = (score: number | undefined) => score?.toFixed(2) ?? 'no score'
  throw new RerankModelError(
    'reranker_unsuitable',
    `${model.name} cannot tell a plain answer (${shown(answer)}) from a text about something else (${shown(other)}), so it is not used.`,
  )
}

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
