import { type Answer, describeAnswer, exchange, withoutCredentials } from '../core/http-fetch.ts'
import { type Dialect, fromLogit, isProbability, readAnswer, requestBody } from './endpoint-dialects.ts'
import { type Judge, JudgeError } from './judge.ts'

export interface EndpointOptions {
  /** With its path; without one `/v1/rerank` is meant, or `/rerank` where that is not there. */
  url: string
  /** Sent where it is given: hosted services and vLLM want one. */
  model: string | null
  /** Sent as a bearer token to this address and, since redirects are not followed, to no other. */
  key: string | null
}

/** What Text Embeddings Inference takes in one call unless told otherwise. */
const BATCH = 32
const CALL_MS = 120_000
/** An endpoint may send the passages back. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** How to ask is found out at the first call. */
interface Way {
  address: string
  dialect: Dialect
}

/** A `/v1/rerank` address. Logits become 0 to 1 by the logistic function: from the first score outside 0 to 1 on, all of this endpoint's are taken for logits. */
export function createEndpointJudge({ url, model, key }: EndpointOptions): Judge {
  const where = `The reranker at ${withoutCredentials(url)}`
  const ways = waysOf(url)
  let known: Way | null = null
  let givesLogits = false

  async function post(
    { address, dialect }: Way,
    question: string,
    batch: readonly string[],
    signal: AbortSignal,
  ): Promise<Answer> {
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
    if (key !== null) headers['authorization'] = `Bearer ${key}`
    const body = JSON.stringify(requestBody(dialect, model, question, batch))
    try {
      const limits = { timeoutMs: CALL_MS, signal, maxBytes: MAX_ANSWER_BYTES }
      return await exchange(new URL(address), { method: 'POST', headers, body }, limits)
    } catch (error) {
      signal.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      throw new JudgeError('reranker_unavailable', `${where} cannot be reached: ${why}.`, error)
    }
  }

  async function ask(question: string, batch: readonly string[], signal: AbortSignal): Promise<Map<number, number>> {
    let first: Answer | null = null
    for (const way of known === null ? ways : [known]) {
      const answer = await post(way, question, batch, signal)
      if (answer.status >= 200 && answer.status < 300) {
        const scores = read(answer.body, batch.length)
        known = way
        return scores
      }
      // The way that was asked for has the word on what is wrong; a 404 says only that it is another one.
      if (first === null || first.status === 404) first = answer
      if (![400, 404, 405, 422].includes(answer.status)) break
    }
    throw refused(first!)
  }

  function read(text: string, passages: number): Map<number, number> {
    try {
      return readAnswer(parseJson(text), passages)
    } catch (error) {
      if (!(error instanceof JudgeError)) throw error
      throw new JudgeError(error.code, `${where} is not used: ${error.message}.`, error)
    }
  }

  function refused(answer: Answer): JudgeError {
    const { status } = answer
    // Some services say back what they were sent.
    const body = key === null ? answer.body : answer.body.replaceAll(key, '…')
    const said = messageIn({ ...answer, body }).slice(0, 200)
    const withKey = key === null ? 'set DOCSEARCH_RERANK_KEY' : 'look at DOCSEARCH_RERANK_KEY'
    if (status === 401 || status === 403)
      return new JudgeError('reranker_unavailable', `${where} does not let us in (${status}): ${withKey}.`)
    if (status === 408 || status === 429 || status >= 500)
      return new JudgeError('reranker_unavailable', `${where} is overloaded or failing (${status}): ${said}.`)
    return new JudgeError('reranker_unsuitable', `${where} refuses what it is asked (${status}): ${said}.`)
  }

  return {
    name: model ?? withoutCredentials(url),
    async judge(question, passages, signal, onScore) {
      const scores = new Map<number, number>()
      for (let from = 0; from < passages.length; from += BATCH) {
        const found = await ask(question, passages.slice(from, from + BATCH), signal)
        for (const [index, score] of found) scores.set(from + index, score)
        givesLogits ||= [...found.values()].some((score) => !isProbability(score))
        // Those of earlier batches too: only now it may have turned out what they are.
        for (const [index, score] of scores) onScore(index, givesLogits ? fromLogit(score) : score)
      }
      if (scores.size === 0 && passages.length > 0)
        throw new JudgeError('reranker_unsuitable', `${where} is not used: it answers without a score.`)
    },
  }
}

function waysOf(url: string): Way[] {
  const { pathname } = new URL(url)
  const addresses = pathname === '/' ? ['/v1/rerank', '/rerank'].map((path) => new URL(path, url).href) : [url]
  return addresses.flatMap((address) => [
    { address, dialect: 'documents' as const },
    // Only TEI takes these, and it has no version in its path.
    ...(/\/v\d+\//.test(address) ? [] : [{ address, dialect: 'texts' as const }]),
  ])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // No schema takes it, and that is said.
  }
}

/** What an error says, on one line. */
function messageIn(answer: Answer): string {
  const body = parseJson(answer.body) as { error?: unknown; message?: unknown; detail?: unknown } | null | undefined
  const inner = (body?.error as { message?: unknown } | null | undefined)?.message
  const found = [inner, body?.error, body?.message, body?.detail].find((value) => typeof value === 'string')
  return (found ?? describeAnswer(answer)).replace(/\s+/g, ' ').trim()
}
