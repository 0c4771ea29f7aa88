import { withoutCredentials } from '../core/http-fetch.ts'
import type { Logger } from '../core/logger.ts'
import { createOllamaClient, OllamaCallError, withoutLatest } from '../ollama/client.ts'
import { createBuiltinReranker } from './builtin.ts'
import { createEndpointJudge } from './endpoint.ts'
import { createFusedReranker } from './fused.ts'
import { type Judge, JudgeError, type JudgeFailure } from './judge.ts'
import { keepJudge, type KeptJudge, type Retry } from './keep-judge.ts'
import { createOllamaJudge } from './ollama.ts'
import type { Reranker } from './reranker.ts'
import { selfTest } from './self-test.ts'
import { createJudgedReranker, type JudgeTuning } from './with-judge.ts'

export interface RerankerSettings extends JudgeTuning {
  /** `auto`, `builtin`, `none`, `ollama:MODEL` or the address of a rerank endpoint. */
  setting: string
  ollamaUrl: string
  /** Model and key that an endpoint is asked with. */
  model: string | null
  key: string | null
  /** Passages in flight at a time to a model on Ollama. */
  parallel: number
  log: Logger
  startMs?: number
  retry?: Retry
}

export interface ChosenReranker {
  reranker: Reranker
  /** Which one, and why, in words for `serve`'s output. */
  choice(): { reranker: string; reason: string }
  status(): RerankerStatus
  close(): void
}

/** `reranker_testing`: a model is being tested, and the order without it is used until then. */
export type RerankerCode = 'ok' | 'reranker_testing' | JudgeFailure

export interface RerankerStatus {
  status: 'ok' | 'degraded'
  code: RerankerCode
  message: string
  model: string | null
}

const OLLAMA = 'ollama:'
const PROBE_MS = 2_000
const TEST_MS = 120_000
/** Of so many models with a reranker's name the first that passes the test is taken. */
const MOST_TRIED = 3

/** The reranker that the setting names, over the order without a model; each falls back to the next, and says why. */
export async function chooseReranker(settings: RerankerSettings): Promise<ChosenReranker> {
  const { setting } = settings
  if (setting === 'none') return fixed(createFusedReranker('Reranking is turned off.'), 'It was turned off (`--reranker none`).')
  if (setting === 'builtin') return fixed(withoutModel(), 'It was asked for by name.')
  const { log, startMs, retry } = settings
  const kept = await keepJudge({
    find: finder(settings),
    log,
    ...(startMs !== undefined && { startMs }),
    ...(retry && { retry }),
  })
  const base = withoutModel()
  const state = () => describe(kept, base, settings)
  return {
    reranker: createJudgedReranker(kept, base, settings),
    choice: () => ({ reranker: nameOf(kept.current() ?? base), reason: state().message }),
    status: state,
    close: () => kept.close(),
  }
}

/** What reorders where no model does. */
function withoutModel(): Reranker {
  return createBuiltinReranker()
}

function fixed(reranker: Reranker, reason: string): ChosenReranker {
  return {
    reranker,
    choice: () => ({ reranker: nameOf(reranker), reason }),
    status: () => ({ status: 'ok', code: 'ok', message: reason, model: reranker.model }),
    close: () => {},
  }
}

function finder(settings: RerankerSettings): (signal: AbortSignal) => Promise<Judge | null> {
  const { setting, ollamaUrl, model, key, parallel } = settings
  if (setting === 'auto') return (signal) => findOnOllama(settings, signal)
  const make = setting.startsWith(OLLAMA)
    ? (signal: AbortSignal) =>
        createOllamaJudge({ url: ollamaUrl, model: withoutLatest(setting.slice(OLLAMA.length)), parallel }, signal)
    : () => createEndpointJudge({ url: setting, model, key })
  return (signal) => tested(make, settings, signal)
}

type Make = (signal: AbortSignal) => Promise<Judge> | Judge

/** Tested twice, because the first time may load the model; the second has to be within the time of a search. */
async function tested(make: Make, { deadlineMs }: RerankerSettings, closing: AbortSignal): Promise<Judge> {
  const judge = await inTime(TEST_MS, closing, async (signal) => {
    const made = await make(signal)
    await selfTest(made, signal)
    return made
  })
  await inTime(deadlineMs, closing, (signal) => selfTest(judge, signal))
  return judge
}

async function inTime<T>(ms: number, closing: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ms)
  try {
    return await run(AbortSignal.any([closing, late]))
  } catch (error) {
    if (!late.aborted) throw error
    throw new JudgeError('reranker_unavailable', `The reranker did not judge two short texts within ${ms / 1000} s.`, error)
  }
}

/** A model that is a reranker by its name, generates, and passes the test. Null without an Ollama or without such a model. */
async function findOnOllama(settings: RerankerSettings, signal: AbortSignal): Promise<Judge | null> {
  const { ollamaUrl: url, parallel } = settings
  let names: string[]
  try {
    names = (await createOllamaClient(url).list({ timeoutMs: PROBE_MS, signal })).map(({ name }) => name)
  } catch (error) {
    if (error instanceof OllamaCallError) return null
    throw error
  }
  const rerankers = names.filter((name) => /rerank/i.test(name)).toSorted((a, b) => isTrained(b) - isTrained(a))
  let failure: JudgeError | null = null
  for (const model of rerankers.slice(0, MOST_TRIED)) {
    try {
      return await tested((stop) => createOllamaJudge({ url, model, parallel }, stop), settings, signal)
    } catch (error) {
      if (!(error instanceof JudgeError)) throw error
      failure ??= error
    }
  }
  if (failure !== null) throw failure
  return null
}

/** The prompt is that of this family. */
function isTrained(name: string): number {
  return Number(/qwen3[-_.]?reranker/i.test(name))
}

function describe(kept: KeptJudge, base: Reranker, { setting, ollamaUrl }: RerankerSettings): RerankerStatus {
  const judge = kept.current()
  const problem = kept.problem()
  const instead = 'The built-in reranker is used.'
  const isAuto = setting === 'auto'
  if (judge !== null) {
    const where = `Ollama at ${withoutCredentials(ollamaUrl)}`
    const why = isAuto ? `${where} has it, and it passed its test.` : 'It was asked for by name and passed its test.'
    return { status: 'ok', code: 'ok', message: why, model: judge.name }
  }
  // Nobody asked for a model: that there is none that can be used is no fault.
  if (problem === null) {
    const why = `There is no reranker on Ollama at ${withoutCredentials(ollamaUrl)}.`
    return { status: 'ok', code: 'ok', message: `${why} ${instead}`, model: base.model }
  }
  return {
    status: isAuto || problem.code === 'reranker_testing' ? 'ok' : 'degraded',
    code: problem.code,
    message: `${problem.message} ${instead}`,
    model: base.model,
  }
}

function nameOf({ model, name }: { model?: string | null; name?: string }): string {
  return name ?? model ?? 'none'
}
