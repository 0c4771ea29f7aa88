import pLimit from 'p-limit'
import { withoutCredentials } from '../core/http-fetch.ts'
import type { CallQueue } from '../ollama/call-queue.ts'
import { createOllamaClient, OllamaCallError, type CallOptions, type OllamaClient, type TokenLogprob } from '../ollama/client.ts'
import { NoTurn, type OnScore, type RerankModel, RerankModelError, type ScoreRequest } from './rerank-model.ts'

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
 * and no. Each passage has a separate call, so that no passage can influence the score of another. Throws RerankModelError.
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

const TASK = 'Given a web search query, retrieve relevant passages that answer the query'

/** Returns the prompt that Qwen3-Reranker was trained on, with empty thinking. Neither text may hold control tokens. */
export function rerankPrompt(question: string, passage: string): string {
  return (
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. ' +
    'Note that the answer can only be "yes" or "no".<|im_end|>\n' +
    `<|im_start|>user\n<Instruct>: ${TASK}\n<Query>: ${question}\n<Document>: ${passage}<|im_end|>\n` +
    '<|im_start|>assistant\n<think>\n\n</think>\n\n'
  )
}

/** Rounding can bring the log-probability of a certain token a little above zero. */
const MAX_LOGPROB = 1e-3

/**
 * Returns the share of "yes" against "no", 0 to 1, from the likeliest first tokens. `Yes`, ` yes` and similar tokens count together.
 * A word that is not listed gets the probability of the least likely token that is. Null when neither word is listed. Throws
 * RerankModelError for numbers that are no log-probabilities.
 */
export function shareOfYes(tokens: readonly TokenLogprob[]): number | null {
  let yes = 0
  let no = 0
  let least = 0
  for (const { token, logprob } of tokens) {
    if (!Number.isFinite(logprob) || logprob > MAX_LOGPROB)
      throw new RerankModelError('reranker_unsuitable', `it returned ${logprob} as a log-probability`)
    least = Math.min(least, logprob)
    // The space before a word is part of its token; some tokenizers write it as ▁ or Ġ.
    const word = token.replace(/^[\s▁Ġ]+|\s+$/g, '').toLowerCase()
    if (word === 'yes') yes += Math.exp(logprob)
    else if (word === 'no') no += Math.exp(logprob)
  }
  if (yes === 0 && no === 0) return null
  yes ||= Math.exp(least)
  no ||= Math.exp(least)
  return yes / (yes + no)
}
