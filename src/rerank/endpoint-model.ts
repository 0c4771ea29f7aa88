import { type Answer, describeAnswer, exchange, withoutCredentials } from '../core/http-fetch.ts'
import { type OnScore, type RerankModel, RerankModelError, type ScoreRequest } from './rerank-model.ts'
import { z } from 'zod'

export interface EndpointOptions {
  /** An address without a path means `/v1/rerank`, or `/rerank` when the server doesn't have that. */
  url: string
  /** Sent when it is set: hosted services and vLLM need one. */
  model: string | null
  /** Sent as a bearer token to this address only: redirects are not followed. */
  key: string | null
}

/** What Text Embeddings Inference takes in one call by default. */
const BATCH = 32
const CALL_MS = 120_000
/** An endpoint may send the passages back. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** Statuses of a server that has another address or another dialect. */
const TRY_OTHER_WAY = [400, 404, 405, 422]

/** One way to ask an endpoint. The first call finds out which way works. */
interface Way {
  address: string
  dialect: Dialect
}

export function createEndpointModel(options: EndpointOptions): RerankModel {
  return new EndpointModel(options)
}

/** A `/v1/rerank` address. Once it gives a score outside 0 to 1, all its scores count as logits, and the logistic function maps them to 0 to 1. */
class EndpointModel implements RerankModel {
  readonly name: string
  private readonly options: EndpointOptions
  /** How messages about the endpoint begin. */
  private readonly subject: string
  private workingWay: Way | null = null
  private givesLogits = false

  constructor(options: EndpointOptions) {
    this.options = options
    this.name = options.model ?? withoutCredentials(options.url)
    this.subject = `The reranker at ${withoutCredentials(options.url)}`
  }

  async scorePassages({ question, passages, signal }: ScoreRequest, onScore: OnScore): Promise<void> {
    const scores = new Map<number, number>()
    for (let from = 0; from < passages.length; from += BATCH) {
      const found = await this.ask(question, passages.slice(from, from + BATCH), signal)
      for (const [index, score] of found) scores.set(from + index, score)
      this.givesLogits ||= [...found.values()].some((score) => !isProbability(score))
      // Earlier batches are reported again, because this batch may have shown that all scores are logits.
      for (const [index, score] of scores) onScore(index, this.givesLogits ? fromLogit(score) : score)
    }
    if (scores.size === 0 && passages.length > 0)
      throw new RerankModelError('reranker_unsuitable', `${this.subject} is not used: its answer has no score.`)
  }

  private async ask(question: string, batch: readonly string[], signal: AbortSignal): Promise<Map<number, number>> {
    let failure: Answer | null = null
    for (const way of this.workingWay === null ? waysOf(this.options.url) : [this.workingWay]) {
      const answer = await this.post(way, question, batch, signal)
      if (answer.status >= 200 && answer.status < 300) {
        const scores = this.read(answer.body, batch.length)
        this.workingWay = way
        return scores
      }
      // The first way's answer says best what is wrong, unless it is a 404, which only means that this isn't the way.
      if (failure === null || failure.status === 404) failure = answer
      if (!TRY_OTHER_WAY.includes(answer.status)) break
    }
    throw this.refused(failure!)
  }

  private async post(way: Way, question: string, batch: readonly string[], signal: AbortSignal): Promise<Answer> {
    const { model, key } = this.options
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
    if (key !== null) headers['authorization'] = `Bearer ${key}`
    const body = JSON.stringify(requestBody(way.dialect, model, question, batch))
    try {
      const limits = { timeoutMs: CALL_MS, signal, maxBytes: MAX_ANSWER_BYTES }
      return await exchange(new URL(way.address), { method: 'POST', headers, body }, limits)
    } catch (error) {
      signal.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      throw new RerankModelError('reranker_unavailable', `${this.subject} cannot be reached: ${why}.`, error)
    }
  }

  private read(text: string, passages: number): Map<number, number> {
    try {
      return readAnswer(parseJson(text), passages)
    } catch (error) {
      if (!(error instanceof RerankModelError)) throw error
      throw new RerankModelError(error.code, `${this.subject} is not used: ${error.message}.`, error)
    }
  }

  private refused(answer: Answer): RerankModelError {
    const { subject } = this
    const { key } = this.options
    const { status } = answer
    // Some services repeat the request in their answer.
    const body = key === null ? answer.body : answer.body.replaceAll(key, '…')
    const message = messageIn({ ...answer, body }).slice(0, 200)
    if (status === 401 || status === 403) {
      const remedy = key === null ? 'Set DOCSEARCH_RERANK_KEY' : 'Check DOCSEARCH_RERANK_KEY'
      return new RerankModelError('reranker_unavailable', `${subject} refuses access (${status}). ${remedy}.`)
    }
    if (status === 408 || status === 429 || status >= 500)
      return new RerankModelError('reranker_unavailable', `${subject} is overloaded or failing (${status}): ${message}.`)
    return new RerankModelError('reranker_unsuitable', `${subject} refuses the request (${status}): ${message}.`)
  }
}

function waysOf(url: string): Way[] {
  const { pathname } = new URL(url)
  const addresses = pathname === '/' ? ['/v1/rerank', '/rerank'].map((path) => new URL(path, url).href) : [url]
  return addresses.flatMap((address) => [
    { address, dialect: 'documents' as const },
    // Only Text Embeddings Inference takes `texts`, and its path has no version.
    ...(/\/v\d+\//.test(address) ? [] : [{ address, dialect: 'texts' as const }]),
  ])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The schema refuses it with a message.
  }
}

/** Returns the message of an error answer, on one line. */
function messageIn(answer: Answer): string {
  const body = parseJson(answer.body) as { error?: unknown; message?: unknown; detail?: unknown } | null | undefined
  const inner = (body?.error as { message?: unknown } | null | undefined)?.message
  const found = [inner, body?.error, body?.message, body?.detail].find((value) => typeof value === 'string')
  return (found ?? describeAnswer(answer)).replace(/\s+/g, ' ').trim()
}

/** The request format of a rerank endpoint. Jina, Cohere (v1 and v2), vLLM and llama-server take `documents`; Text Embeddings Inference (TEI) takes `texts`. */
type Dialect = 'documents' | 'texts'

function requestBody(dialect: Dialect, model: string | null, query: string, passages: readonly string[]): object {
  // Without `raw_scores`, TEI gives 0 to 1. With `truncate` it cuts long passages, as the other servers do, instead of refusing them.
  if (dialect === 'texts') return { query, texts: passages, truncate: true }
  return { ...(model !== null && { model }), query, documents: passages, top_n: passages.length }
}

const scored = z.union([
  z
    .object({ index: z.int(), relevance_score: z.number() })
    .transform(({ index, relevance_score }) => ({ index, score: relevance_score })),
  z.object({ index: z.int(), score: z.number() }),
])
const answer = z.union([z.object({ results: z.array(scored) }).transform(({ results }) => results), z.array(scored)])

/**
 * Returns the scores by index, as the endpoint gives them. Throws RerankModelError for any other shape, and for an index that no passage
 * has or that comes twice.
 */
function readAnswer(body: unknown, passages: number): Map<number, number> {
  const parsed = answer.safeParse(body)
  if (!parsed.success)
    throw new RerankModelError(
      'reranker_unsuitable',
      'the answer has neither `results` with `relevance_score` nor a list with `score`',
    )
  const scores = new Map<number, number>()
  for (const { index, score } of parsed.data) {
    if (index < 0 || index >= passages)
      throw new RerankModelError('reranker_unsuitable', `the answer has index ${index} of ${passages} passages`)
    if (scores.has(index)) throw new RerankModelError('reranker_unsuitable', `the answer has index ${index} twice`)
    scores.set(index, score)
  }
  return scores
}

/** Maps a logit to 0 to 1 by the logistic function. Scaling between the lowest and the highest score would turn the best of bad passages into a 1. */
function fromLogit(score: number): number {
  return 1 / (1 + Math.exp(-score))
}

function isProbability(score: number): boolean {
  return score >= 0 && score <= 1
}
