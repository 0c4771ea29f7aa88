import { withoutCredentials } from '../core/http-fetch.ts'
import { createOllamaClient, OllamaCallError } from '../ollama/client.ts'
import type { CallOptions, OllamaClient } from '../ollama/client.ts'
import { type Judge, JudgeError } from './judge.ts'
import { judgePrompt, shareOfYes } from './yes-or-no.ts'

export interface OllamaJudgeOptions {
  url: string
  /** As Ollama names it, without `:latest`. */
  model: string
  /** Passages in flight at a time; more than one helps where OLLAMA_NUM_PARALLEL allows it. */
  parallel: number
}

/** The most Ollama gives. */
const TOP_LOGPROBS = 20
/** The same on every call: another one loads the model anew. Holds instruction, question and passage. */
const CONTEXT = 4096
const KEEP_ALIVE_SECONDS = 30 * 60
/** A cold model on a slow disk takes its time; whoever waits for a search gives up earlier by the signal. */
const CALL_MS = 120_000
const PROBE_MS = 2_000
/** So many passages without one that could be judged, and no more are tried. */
const HOPELESS = 3

/**
 * A model on Ollama that answers whether a passage answers the question, judged by the log-probabilities of yes and no; one call a passage,
 * so that no passage can speak for another. Asks first whether it generates at all. Throws JudgeError.
 */
export async function createOllamaJudge({ url, model, parallel }: OllamaJudgeOptions, signal: AbortSignal): Promise<Judge> {
  const client = createOllamaClient(url)
  const said = (error: unknown) => explain(error, model, url)
  const { capabilities } = await client.show(model, { timeoutMs: PROBE_MS, signal }).catch((error: unknown) => {
    throw said(error)
  })
  if (!capabilities.includes('completion')) {
    const has = capabilities.join(', ') || 'none'
    throw new JudgeError('reranker_unsuitable', `${model} cannot be used as a reranker: its capabilities on Ollama are ${has}.`)
  }
  return {
    name: `ollama:${model}`,
    async judge(question, passages, stop, onScore) {
      let next = 0
      let judged = 0
      const failures: unknown[] = []
      // What ends one ends all.
      const ended = new AbortController()
      const signal = AbortSignal.any([stop, ended.signal])
      const worker = async (): Promise<void> => {
        while (next < passages.length && (judged > 0 || failures.length < HOPELESS)) {
          const index = next++
          try {
            const score = await judgeOne(client, model, question, passages[index]!, { timeoutMs: CALL_MS, signal })
            if (score === null) continue
            judged++
            onScore(index, score)
          } catch (error) {
            signal.throwIfAborted()
            if (!isOfThePassage(error)) {
              ended.abort(said(error))
              throw ended.signal.reason
            }
            // Others are judged all the same: what one passage brings about concerns that passage only.
            failures.push(error)
          }
        }
      }
      await Promise.all(Array.from({ length: parallel }, worker))
      if (judged === 0 && failures.length > 0) throw said(failures[0])
    },
  }
}

async function judgeOne(
  client: OllamaClient,
  model: string,
  question: string,
  passage: string,
  options: CallOptions,
): Promise<number | null> {
  const prompt = judgePrompt(question, passage)
  const tokens = await client.firstToken(
    { model, prompt, topLogprobs: TOP_LOGPROBS, numCtx: CONTEXT, keepAliveSeconds: KEEP_ALIVE_SECONDS },
    options,
  )
  if (tokens.length === 0)
    throw new JudgeError('reranker_unsuitable', 'it gives no log-probabilities; Ollama does from version 0.12.11 on')
  return shareOfYes(tokens)
}

function isOfThePassage(error: unknown): boolean {
  if (error instanceof JudgeError) return true
  return error instanceof OllamaCallError && ['too_long', 'not_finite', 'refused', 'nonsense'].includes(error.failure)
}

function explain(error: unknown, model: string, url: string): unknown {
  const where = `${model} on Ollama at ${withoutCredentials(url)}`
  if (error instanceof JudgeError)
    return new JudgeError(error.code, `${where} cannot be used as a reranker: ${error.message}.`, error)
  if (!(error instanceof OllamaCallError)) return error
  switch (error.failure) {
    case 'unreachable':
    case 'timeout':
      return new JudgeError('reranker_unavailable', `${where} cannot be reached: ${error.message}.`, error)
    case 'busy':
      return new JudgeError('reranker_unavailable', `${where} is overloaded or failing: ${error.message}.`, error)
    case 'model_missing':
      return new JudgeError('reranker_unavailable', `${where} is not installed. Run \`ollama pull ${model}\`.`, error)
    case 'too_long':
    case 'not_finite':
    case 'refused':
    case 'nonsense':
      return new JudgeError('reranker_unsuitable', `${where} cannot be used as a reranker: ${error.message}.`, error)
  }
}
