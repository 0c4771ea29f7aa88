import pLimit from 'p-limit'
import { withoutCredentials } from '../core/http-fetch.ts'
import type { CallQueue } from '../ollama/call-queue.ts'
import { createOllamaClient, OllamaCallError } from '../ollama/client.ts'
import type { CallOptions, OllamaClient } from '../ollama/client.ts'
import { NoTurn, type OnScore, type RerankModel, RerankModelError, type ScoreRequest } from './rerank-model.ts'
import { rerankPrompt, shareOfYes } from './yes-or-no.ts'

export interface OllamaRerankOptions {
  url: string
  /** As Ollama names it, without `:latest`. */
  model: string
  /** How many passages are scored at the same time. More than one helps only where OLLAMA_NUM_PARALLEL allows it. */
  parallel: number
  /** The queue of all calls to this server. */
  queue: CallQueue
}

/** The most that Ollama gives. */
const TOP_LOGPROBS = 20
/** Room for instruction, question and passage. The same on every call, because another value loads the model again. */
const CONTEXT = 4096
const KEEP_ALIVE_SECONDS = 30 * 60
/** Time for a slow disk to load the model. A search gives up earlier, by its signal. */
const CALL_MS = 120_000
const PROBE_MS = 2_000
/** A model that fails on this many passages before it scores any is not asked for more. */
const MAX_FAILURES = 3

/**
 * Creates a model on Ollama that answers whether a passage answers the question. The score comes from the log-probabilities of yes
 * and no. Each passage has a call of its own, so that no passage can influence the score of another. Throws RerankModelError.
 */
export async function createOllamaRerankModel(
  { url, model, parallel, queue }: OllamaRerankOptions,
  signal: AbortSignal,
): Promise<RerankModel> {
  const client = createOllamaClient(url)
  const explained = (error: unknown) => explain(error, model, url)
  const { capabilities } = await client.show(model, { timeoutMs: PROBE_MS, signal }).catch((error: unknown) => {
    throw explained(error)
  })
  if (!capabilities.includes('completion')) {
    const has = capabilities.join(', ') || 'none'
    throw new RerankModelError(
      'reranker_unsuitable',
      `${model} cannot be used as a reranker: its capabilities on Ollama are ${has}.`,
    )
  }
  return {
    name: `ollama:${model}`,
    async scorePassages(request, onScore) {
      let hasTurn = false
      // One turn for all passages, so that no batch of passages to embed comes between them.
      const caller = { kind: 'rerank', user: request.user, signal: request.signal } as const
      const scoring = queue.run(caller, () => {
        hasTurn = true
        return scoreAll({ client, model, parallel, explained }, request, onScore)
      })
      await scoring.catch((error: unknown) => {
        throw hasTurn ? error : new NoTurn(error)
      })
    },
  }
}

interface Scorer {
  client: OllamaClient
  model: string
  parallel: number
  explained: (error: unknown) => unknown
}

async function scoreAll(
  { client, model, parallel, explained }: Scorer,
  { question, passages, signal: stop }: ScoreRequest,
  onScore: OnScore,
): Promise<void> {
  let scored = 0
  const failures: unknown[] = []
  // An error of the server ends the calls for the other passages too.
  const ended = new AbortController()
  const signal = AbortSignal.any([stop, ended.signal])
  const limit = pLimit(parallel)
  const score = async (passage: string, index: number): Promise<void> => {
    if (scored === 0 && failures.length >= MAX_FAILURES) return
    signal.throwIfAborted()
    try {
      const found = await scoreOne(client, model, question, passage, { timeoutMs: CALL_MS, signal })
      if (found === null) return
      scored++
      onScore(index, found)
    } catch (error) {
      signal.throwIfAborted()
      if (!isOfThePassage(error)) {
        ended.abort(explained(error))
        throw ended.signal.reason
      }
      failures.push(error)
    }
  }
  await Promise.all(passages.map((passage, index) => limit(score, passage, index)))
  if (scored === 0 && failures.length > 0) throw explained(failures[0])
}

/** Returns null when the model says neither yes nor no. */
async function scoreOne(
  client: OllamaClient,
  model: string,
  question: string,
  passage: string,
  options: CallOptions,
): Promise<number | null> {
  const prompt = rerankPrompt(question, passage)
  const tokens = await client.firstToken(
    { model, prompt, topLogprobs: TOP_LOGPROBS, numCtx: CONTEXT, keepAliveSeconds: KEEP_ALIVE_SECONDS },
    options,
  )
  if (tokens.length === 0)
    throw new RerankModelError('reranker_unsuitable', 'it returns no log-probabilities; they need Ollama 0.12.11 or later')
  return shareOfYes(tokens)
}

/** False for an error of the server or the connection, which every other passage would meet too. */
function isOfThePassage(error: unknown): boolean {
  if (error instanceof RerankModelError) return true
  return error instanceof OllamaCallError && ['too_long', 'not_finite', 'refused', 'nonsense'].includes(error.failure)
}

function explain(error: unknown, model: string, url: string): unknown {
  const subject = `${model} on Ollama at ${withoutCredentials(url)}`
  if (error instanceof RerankModelError)
    return new RerankModelError(error.code, `${subject} cannot be used as a reranker: ${error.message}.`, error)
  if (!(error instanceof OllamaCallError)) return error
  switch (error.failure) {
    case 'unreachable':
    case 'timeout':
      return new RerankModelError('reranker_unavailable', `${subject} cannot be reached: ${error.message}.`, error)
    case 'busy':
      return new RerankModelError('reranker_unavailable', `${subject} is overloaded or failing: ${error.message}.`, error)
    case 'model_missing':
      return new RerankModelError(
        'reranker_unavailable',
        `${subject} is not installed. Run \`docsearch models pull ${model}\`.`,
        error,
      )
    case 'too_long':
    case 'not_finite':
    case 'refused':
    case 'nonsense':
      return new RerankModelError('reranker_unsuitable', `${subject} cannot be used as a reranker: ${error.message}.`, error)
  }
}
