import { Ollama } from 'ollama'
import { z } from 'zod'
import { httpFetch } from '../core/http-fetch.ts'
import { shorten } from '../core/text-limits.ts'

/** The messages of a server appear in documents, health and the log. */
const MAX_MESSAGE_CHARS = 500

/** How a call failed, as far as callers treat failures differently. */
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
