import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Ollama } from 'ollama'
import { z } from 'zod'
import { httpFetch } from '../core/http-fetch.ts'
import { shorten } from '../core/text-limits.ts'

/** The messages of a server appear in documents, health and the log. */
const MAX_MESSAGE_CHARS = 500

/** How a call failed: the kinds that callers treat differently. */
export type OllamaFailure =
  | 'unreachable'
  /** No answer in time: trying again at once would only take as long. */
  | 'timeout'
  /** The server is overloaded or failing: trying again may help. */
  | 'busy'
  | 'model_missing'
  | 'too_long'
  /** The model gave NaN for one of the inputs. */
  | 'not_finite'
  /** Any other refusal: trying again gives the same answer. */
  | 'refused'
  /** The answer is not in Ollama's format. */
  | 'nonsense'

export class OllamaCallError extends Error {
  readonly failure: OllamaFailure

  constructor(failure: OllamaFailure, message: string, cause?: unknown) {
    super(shorten(message, MAX_MESSAGE_CHARS), { cause })
    this.name = 'OllamaCallError'
    this.failure = failure
  }
}

export interface CallOptions {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

export interface EmbedCall {
  model: string
  input: string | string[]
  dimensions?: number
  numCtx: number
  keepAliveSeconds: number
}

/** Generates one token, and asks for the other likely tokens. */
export interface GenerateCall {
  model: string
  /** Sent to the model unchanged, without a template of Ollama's. */
  prompt: string
  topLogprobs: number
  numCtx: number
  keepAliveSeconds: number
}

export interface TokenLogprob {
  token: string
  logprob: number
}

export interface InstalledModel {
  /** Without `:latest`. */
  name: string
  digest: string
  /** Null when the server does not say. */
  sizeBytes: number | null
}

export interface ModelFacts {
  /** Null when the server does not say. */
  contextTokens: number | null
  dimensions: number | null
  capabilities: string[]
}

const tags = z.object({
  models: z.array(z.object({ name: z.string(), digest: z.string().min(1), size: z.number().optional() })),
})
const facts = z.object({
  model_info: z.record(z.string(), z.unknown()).default({}),
  capabilities: z.array(z.string()).default([]),
})
// The callers check the numbers of a vector.
const tokenLogprob = z.object({ token: z.string(), logprob: z.number() })
// Servers before 0.12.11 leave it out.
const generated = z.object({
  logprobs: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob).default([]) })).default([]),
})
const embedded = z.object({ embeddings: z.array(z.array(z.unknown())) })

/** The calls of Ollama's API that docsearch uses, with checked answers. They throw OllamaCallError, or the signal's reason. */
export interface OllamaClient {
  list(options: CallOptions): Promise<InstalledModel[]>
  show(model: string, options: CallOptions): Promise<ModelFacts>
  embed(call: EmbedCall, options: CallOptions): Promise<unknown[][]>
  /** Returns the first token and the other likely ones, each once, unsorted. Empty when the server gives no log-probabilities. */
  firstToken(call: GenerateCall, options: CallOptions): Promise<TokenLogprob[]>
}

export function createOllamaClient(url: string): OllamaClient {
  async function call<S extends z.ZodType>(
    what: string,
    schema: S,
    options: CallOptions,
    run: (ollama: Ollama) => Promise<unknown>,
  ): Promise<z.infer<S>> {
    // Each call has a client of its own, because the package takes no signal: aborting stops the client's `fetch`.
    const ollama = new Ollama({ host: url, fetch: httpFetch(options) })
    const answer = await run(ollama).catch((error: unknown) => {
      options.signal?.throwIfAborted()
      throw classify(error)
    })
    const parsed = schema.safeParse(answer)
    if (parsed.success) return parsed.data
    throw new OllamaCallError(
      'nonsense',
      `the answer to ${what} is not in Ollama's format (${z.prettifyError(parsed.error).replaceAll('\n', ' ')})`,
    )
  }

  return {
    async list(options) {
      const { models } = await call('/api/tags', tags, options, (ollama) => ollama.list())
      return models.map(({ name, digest, size }) => ({
        name: withoutLatest(name),
        digest: digest.replace(/^sha256:/, ''),
        sizeBytes: size ?? null,
      }))
    },
    async show(model, options) {
      const { model_info: info, capabilities } = await call('/api/show', facts, options, (ollama) => ollama.show({ model }))
      const architecture = String(info['general.architecture'])
      return {
        contextTokens: positive(info[`${architecture}.context_length`]),
        dimensions: positive(info[`${architecture}.embedding_length`]),
        capabilities,
      }
    },
    async embed({ model, input, dimensions, numCtx, keepAliveSeconds }, options) {
      const request = {
        model,
        input,
        // By default Ollama cuts long texts silently.
        truncate: false,
        // A number, because some versions refuse strings such as "-1".
        keep_alive: keepAliveSeconds,
        // The same on every call, because another num_ctx loads the model again.
        options: { num_ctx: numCtx },
        ...(dimensions === undefined ? {} : { dimensions }),
      }
      const { embeddings } = await call('/api/embed', embedded, options, (ollama) => ollama.embed(request))
      return embeddings
    },
    async firstToken({ model, prompt, topLogprobs, numCtx, keepAliveSeconds }, options) {
      const request = {
        model,
        prompt,
        raw: true,
        stream: false as const,
        logprobs: true,
        top_logprobs: topLogprobs,
        keep_alive: keepAliveSeconds,
        options: { temperature: 0, num_predict: 1, num_ctx: numCtx },
      }
      const [first] = (await call('/api/generate', generated, options, (ollama) => ollama.generate(request))).logprobs
      if (first === undefined) return []
      const { top_logprobs: others, token, logprob } = first
      return others.some((other) => other.token === token) ? others : [{ token, logprob }, ...others]
    },
  }
}

/** Returns a model's name without `:latest`, which means the same model. */
export function withoutLatest(name: string): string {
  return name.replace(/:latest$/, '')
}

function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null
}

function classify(error: unknown): OllamaCallError {
  if (error instanceof SyntaxError) return new OllamaCallError('nonsense', 'the answer is not JSON', error)
  if (!(error instanceof Error)) return new OllamaCallError('unreachable', String(error), error)
  const status = 'status_code' in error && typeof error.status_code === 'number' ? error.status_code : null
  if (status === null && isTimeout(error)) return new OllamaCallError('timeout', 'no answer in time', error)
  if (status === null) return new OllamaCallError('unreachable', networkMessage(error), error)
  return new OllamaCallError(failureOf(status, error.message), error.message, error)
}

function failureOf(status: number, message: string): OllamaFailure {
  if (/NaN|\bInf\b/.test(message)) return 'not_finite'
  if (status === 400 && /context length|too long|input length/i.test(message)) return 'too_long'
  if (status === 404 && /model/i.test(message)) return 'model_missing'
  return status === 408 || status === 429 || status === 499 || status >= 500 ? 'busy' : 'refused'
}

function isTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' || (error.cause instanceof Error && isTimeout(error.cause))
}

function networkMessage(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ECONNREFUSED') return 'nothing listens at this address'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is unknown'
  if (code === 'ECONNRESET') return 'the connection was closed'
  return error.message
}

/** Progress of a whole download. Bytes are null until Ollama names the first layer. */
export interface PullProgress {
  /** Ollama's own words: `pulling manifest`, `verifying sha256 digest`, `success`. */
  status: string
  completedBytes: number | null
  totalBytes: number | null
}

/** Longer than a slow registry takes to start. A connection that is silent for longer is dead. */
const IDLE_MS = 5 * 60_000
/** A normal line has a few hundred bytes. */
const MAX_LINE = 1_000_000

/**
 * Downloads a model and reports the progress of all layers together, until Ollama says `success`. Throws OllamaCallError for an error
 * line (which comes after status 200), for an answer that ends without success, and for every other failure. Leaving the loop or
 * aborting the signal closes the connection, which stops the download.
 */
export async function* pullModel(url: string, model: string, signal: AbortSignal): AsyncGenerator<PullProgress> {
  const layers = new Map<string, { completed: number; total: number }>()
  const answer = await begin(url, model, signal)
  try {
    for await (const line of linesOf(answer, signal)) {
      const event = parse(line)
      if (typeof event['error'] === 'string') throw refusal(event['error'])
      const status = typeof event['status'] === 'string' ? event['status'] : ''
      const { digest, total } = event
      if (typeof digest === 'string' && typeof total === 'number') {
        // `completed` is missing until the first byte of the layer has come.
        const completed = typeof event['completed'] === 'number' ? event['completed'] : (layers.get(digest)?.completed ?? 0)
        layers.set(digest, { completed: Math.min(completed, total), total })
      }
      yield { status, ...sumOf([...layers.values()]) }
      if (status === 'success') return
    }
    throw new OllamaCallError('nonsense', 'the download ended early')
  } finally {
    answer.destroy()
  }
}

function sumOf(layers: readonly { completed: number; total: number }[]): Pick<PullProgress, 'completedBytes' | 'totalBytes'> {
  if (layers.length === 0) return { completedBytes: null, totalBytes: null }
  return {
    completedBytes: layers.reduce((sum, { completed }) => sum + completed, 0),
    totalBytes: layers.reduce((sum, { total }) => sum + total, 0),
  }
}

async function begin(url: string, model: string, signal: AbortSignal): Promise<IncomingMessage> {
  const body = JSON.stringify({ model, stream: true })
  const target = new URL(`${url.replace(/\/+$/, '')}/api/pull`)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const start = target.protocol === 'https:' ? requestHttps : requestHttp
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = start(target, { method: 'POST', headers, signal }, resolve)
    request.setTimeout(IDLE_MS, () => request.destroy(new OllamaCallError('timeout', 'no answer in time')))
    request.on('error', (error: NodeJS.ErrnoException) => {
      const message = error.code === 'ECONNREFUSED' ? 'nothing listens at this address' : error.message
      reject(signal.aborted || error instanceof OllamaCallError ? error : new OllamaCallError('unreachable', message, error))
    })
    request.end(body)
  })
  if (answer.statusCode === 200) return answer
  let first = ''
  for await (const line of linesOf(answer, signal)) first ||= line
  answer.destroy()
  const { error } = first === '' ? {} : parse(first)
  if (typeof error === 'string') throw refusal(error)
  throw new OllamaCallError(answer.statusCode! >= 500 ? 'busy' : 'refused', `it answered with status ${answer.statusCode}`)
}

function refusal(message: string): OllamaCallError {
  return new OllamaCallError(/does not exist|not found/i.test(message) ? 'model_missing' : 'refused', message)
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Thrown below, as for every other line that is not Ollama's.
  }
  throw new OllamaCallError('nonsense', "the answer to /api/pull is not in Ollama's format")
}

async function* linesOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) throw new OllamaCallError('nonsense', 'a line of the answer is too long')
      yield* lines.filter((line) => line.trim() !== '')
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof OllamaCallError ? error : new OllamaCallError('unreachable', 'the connection was closed', error)
  }
  if (rest.trim() !== '') yield rest
}
