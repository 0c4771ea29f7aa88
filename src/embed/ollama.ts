import { Breaker } from '../core/breaker.ts'
import { DeadlinePassed } from '../core/deadline.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { type Caller, CallQueue } from '../ollama/call-queue.ts'
import { createOllamaClient, OllamaCallError, type OllamaClient, withoutLatest } from '../ollama/client.ts'
import { type CountTokens, cutToTokens, splitByTokens, type TokenCounter, tokenCounter } from '../text/model-tokens.ts'
import { type BatchLimits, BatchSize, embedWithBisection } from './batches.ts'
import type { Embedder, EmbedderHealth, EmbeddingInput } from './embedder.ts'
import {
  explain,
  healthCode,
  MAX_CONTEXT,
  notAnswering,
  OllamaModel,
  type OllamaSetup,
  outlastsCheck,
  type Patience,
  setUpModel,
  TITLE_TOKENS,
} from './ollama-model.ts'
import { meanVector, toVector } from './vectors.ts'
import { createHash } from 'node:crypto'
import { LruCache } from '../core/lru-cache.ts'

export interface OllamaEmbedderOptions {
  url: string
  /** As Ollama names it; `:latest` may be left out. */
  model: string
  log: Logger
  /** What an existing index was made with: the embedder then starts without Ollama, and refuses any other model under the same name. */
  expected?: { fingerprint: string; dimensions: number } | null
  /** Shorter vectors, for models trained to give them (registry.ts). */
  dimensions?: number
  /** The queue of all calls to this server. By default, this embedder has one of its own. */
  queue?: CallQueue | undefined
  tuning?: Partial<OllamaTuning>
}

export interface OllamaTuning {
  /** The most texts in one call. */
  batchInputs: number
  /** The most characters in one call, unless a single text has more. */
  batchChars: number
  /** Milliseconds after which the model's digest is checked again before its vectors are used. */
  recheckMs: number
  documents: Patience
  /** A user is waiting: keyword results soon are better than vectors late. */
  query: Patience
  /** Milliseconds that a probe waits for the answer of a server that missed the deadline of a query. */
  probeMs: number
  keepAliveSeconds: number
}

const TUNING: OllamaTuning = {
  batchInputs: 32,
  batchChars: 64_000,
  recheckMs: 30_000,
  documents: { retries: 4, minTimeout: 200, maxTimeout: 8_000, timeoutMs: 15 * 60_000 },
  query: { retries: 1, minTimeout: 100, maxTimeout: 200, timeoutMs: 60_000 },
  probeMs: 60_000,
  keepAliveSeconds: 30 * 60,
}

/** Nobody waits for batches and warming up. */
const NO_USER = ''
/** What a probe embeds. */
const PROBE = 'document'
const CHECK: Patience = { retries: 0, minTimeout: 0, maxTimeout: 0, timeoutMs: 2_000 }

/**
 * Creates an embedder for a model on an Ollama server. It gives out no vector unless the model's digest was the expected one before
 * and after the call. Throws DocsearchError `embedder_unavailable` when it has to ask the server (no `expected`) and can't.
 */
export async function createOllamaEmbedder(options: OllamaEmbedderOptions): Promise<Embedder> {
  const { url, log, expected = null, dimensions } = options
  const model = withoutLatest(options.model)
  const client = createOllamaClient(url)
  const closing = new AbortController()
  const setup = await setUpModel({ client, model, log, expected, dimensions, signal: closing.signal }).catch((error: unknown) => {
    throw explain(error, url, model)
  })
  const embedder = new OllamaEmbedder(client, setup, closing, { ...options, model, tuning: { ...TUNING, ...options.tuning } })
  embedder.warmUp(client)
  return embedder
}

type Settings = Omit<OllamaEmbedderOptions, 'tuning'> & { tuning: OllamaTuning }

class OllamaEmbedder implements Embedder {
  readonly name: string
  readonly canEmbed = true
  readonly isExternal = true
  readonly sharedModel = null
  readonly dimensions: number
  readonly maxTokens: number
  readonly fingerprint: string
  readonly work = { passages: 0 }
  readonly tokenCounter: TokenCounter
  readonly countTokens: CountTokens

  private readonly server: OllamaModel
  private readonly setup: OllamaSetup
  private readonly settings: Settings
  private readonly closing: AbortController
  private readonly queue: CallQueue
  private readonly batchSize = new BatchSize()
  private readonly queryVectors = new QueryVectors()
  private readonly breaker: Breaker
  /** The last failure that `check` would not notice by itself. */
  private lastFailure: DocsearchError | null = null

  constructor(client: OllamaClient, setup: OllamaSetup, closing: AbortController, settings: Settings) {
    this.name = `ollama:${settings.model}`
    this.dimensions = setup.identity.dimensions
    this.maxTokens = setup.maxTokens
    this.fingerprint = setup.fingerprint
    this.tokenCounter = setup.profile.tokens
    this.countTokens = tokenCounter(setup.profile.tokens)
    this.server = new OllamaModel(client, settings.model, setup.identity.digest)
    this.setup = setup
    this.settings = settings
    this.closing = closing
    this.queue = settings.queue ?? new CallQueue()
    this.breaker = new Breaker({ probe: (signal) => this.probe(client, signal) })
  }

  get batchLimits(): BatchLimits {
    return this.batchSize.limits
  }

  get tokensPerSecond(): number | null {
    return this.batchSize.tokensPerSecond
  }

  fusionWeight(): number {
    return this.setup.profile.fusionWeight
  }

  hasMeaning(): boolean {
    return true
  }

  noiseFloor(): null {
    return null
  }

  embedDocuments(inputs: readonly EmbeddingInput[], signal?: AbortSignal): Promise<(Float32Array | null)[]> {
    const { tuning, log } = this.settings
    return this.reported(signal, async (either) => {
      either.throwIfAborted()
      const texts = inputs.map((input) => (input.text.trim() === '' ? null : this.documentText(input)))
      if (!texts.some((text) => text !== null)) return texts.map(() => null)
      if (!this.server.isVerifiedWithin(tuning.recheckMs)) await this.server.verify(tuning.documents, either)
      const vectors = await embedWithBisection(texts, tuning, (batch) => this.embedBatch(batch, either), log)
      await this.server.verify(tuning.documents, either)
      return vectors
    })
  }

  embedQuery(query: string, signal?: AbortSignal, user: string = NO_USER): Promise<Float32Array> {
    const { profile } = this.setup
    const parts = splitByTokens(query, this.maxTokens, this.countTokens)
    const texts = parts.map((part) => profile.prepareText(profile.queryTemplate(part)))
    const text = texts.join('\n')
    const known = this.queryVectors.find(user, text)
    if (known !== undefined) return this.reported(signal, (either) => this.whileUsable(known, either))
    return this.queryVectors.get({ user, text, signal: this.untilClosed(signal) }, (stop) =>
      this.reported(stop, (either) => this.embedQueryTexts(texts, user, either)),
    )
  }

  async check(signal?: AbortSignal): Promise<EmbedderHealth> {
    const { url, model } = this.settings
    if (this.breaker.state === 'open') return { ok: false, code: 'embedder_unavailable', message: notAnswering(url) }
    try {
      await this.server.verify(CHECK, this.untilClosed(signal))
    } catch (error) {
      const explained = explain(error, url, model)
      if (explained instanceof DocsearchError) return { ok: false, code: healthCode(explained), message: explained.message }
      return { ok: false, code: 'embedder_unavailable', message: 'The check was stopped before it finished.' }
    }
    if (this.lastFailure !== null) return { ok: false, code: this.lastFailure.code, message: this.lastFailure.message }
    return { ok: true, code: 'ok', message: `Ollama has ${model}, the model of this index.` }
  }

  async close(): Promise<void> {
    this.closing.abort(new DocsearchError('embedder_unavailable', 'docsearch is stopping.', { retryAfter: 5 }))
    this.breaker.close()
  }

  /** Loads the model before a user waits for it. A failure is only logged: the first real call meets it again. */
  warmUp(client: OllamaClient): void {
    const { model, log, tuning } = this.settings
    const { signal } = this.closing
    this.queue
      .run({ kind: 'batch', user: NO_USER, signal }, () =>
        client.embed(this.request(''), { timeoutMs: tuning.documents.timeoutMs, signal }),
      )
      .catch((error: unknown) => log.debug({ err: error, model }, 'the embedding model could not be warmed up'))
  }

  private untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal
  }

  private request(input: string | string[]) {
    const { model, tuning } = this.settings
    return { model, input, numCtx: MAX_CONTEXT, keepAliveSeconds: tuning.keepAliveSeconds }
  }

  /** Returns a remembered vector. While the model is away or another one, it is not used, so that equal queries get equal answers. */
  private async whileUsable(known: Float32Array, signal: AbortSignal): Promise<Float32Array> {
    await this.breaker.pass()
    await this.watched(signal, this.server.verify(this.settings.tuning.query, signal))
    return known
  }

  /** `texts`: the parts of the query that the model can read at once. The vector of the query lies between theirs. */
  private async embedQueryTexts(texts: string[], user: string, signal: AbortSignal): Promise<Float32Array> {
    const { query } = this.settings.tuning
    await this.breaker.pass()
    // The digest is checked for every question, because another model's vector finds nonsense that looks like results. Both
    // calls run at the same time, because a user is waiting.
    const [vectors] = await Promise.all([
      this.embed(query, texts, { kind: 'query', user, signal }),
      this.server.verify(query, signal),
    ])
    const vector = meanVector(vectors.filter((one) => one !== null))
    if (vector === null) throw new OllamaCallError('not_finite', 'the model returns no usable vector for this query')
    return vector
  }

  private async embedBatch(texts: string[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const { documents } = this.settings.tuning
    return this.embed(documents, texts, { kind: 'batch', user: NO_USER, signal })
  }

  private async embed(patience: Patience, input: string[], caller: Caller): Promise<(Float32Array | null)[]> {
    const { cutTo } = this.setup
    const request = { ...this.request(input), ...(cutTo !== undefined && { dimensions: cutTo }) }
    const answer = await this.server.call(patience, caller.signal, (client, options) =>
      this.queue.run(caller, () => this.measured(caller, input, client.embed(request, options))),
    )
    if (answer.length !== input.length)
      throw new OllamaCallError('nonsense', `it returned ${answer.length} vectors for ${input.length} texts`)
    const vectors = answer.map((values) => {
      if (values.length === this.dimensions) return toVector(values)
      const message = `it returned vectors of ${values.length} dimensions, but the index has ${this.dimensions}`
      throw new OllamaCallError('nonsense', message)
    })
    if (vectors.some((vector) => vector !== null)) this.lastFailure = null
    return vectors
  }

  /** Reports to the breaker whether the model answers, and how long it takes for a batch. Waiting in the queue does not count. */
  private async measured<T>({ kind, signal }: Caller, input: readonly string[], call: Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      const answer = await this.watched(signal, call)
      this.breaker.answered()
      if (kind === 'batch') this.batchSize.measured(sum(input.map(this.countTokens)), performance.now() - began)
      return answer
    } catch (error) {
      if (isTimeout(error)) this.breaker.timedOut()
      else if (error instanceof OllamaCallError) this.breaker.answered()
      throw error
    }
  }

  /** Opens the breaker when the deadline of a query passes during the call. */
  private async watched<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
    const noticeDeadline = () => {
      if (signal.reason instanceof DeadlinePassed) this.breaker.timedOut()
    }
    signal.addEventListener('abort', noticeDeadline, { once: true })
    try {
      return await call
    } finally {
      signal.removeEventListener('abort', noticeDeadline)
    }
  }

  /** Does not take a turn in the queue, because no user waits for it, and it may wait for minutes. */
  private async probe(client: OllamaClient, signal: AbortSignal): Promise<void> {
    const options = { timeoutMs: this.settings.tuning.probeMs, signal: this.untilClosed(signal) }
    await client.embed(this.request(PROBE), options).catch((error: unknown) => {
      if (!(error instanceof OllamaCallError) || isTimeout(error)) throw error
    })
  }

  /** Runs `work` until the signal or the end of the embedder. Explains its errors and remembers them for `check`. */
  private async reported<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { url, model } = this.settings
    try {
      return await work(this.untilClosed(signal))
    } catch (error) {
      signal?.throwIfAborted()
      const explained = explain(error, url, model)
      if (explained instanceof DocsearchError && outlastsCheck(explained)) this.lastFailure = explained
      throw explained
    }
  }

  private documentText({ text, title }: EmbeddingInput): string {
    const { profile } = this.setup
    return profile.prepareText(
      profile.documentTemplate(text, title === null ? null : cutToTokens(title, TITLE_TOKENS, this.countTokens)),
    )
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof OllamaCallError && error.failure === 'timeout'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Some thousand vectors of the largest models. */
const MAX_BYTES = 8 * 2 ** 20
/** Key and bookkeeping of one vector. */
const OVERHEAD_BYTES = 200

interface Call {
  vector: Promise<Float32Array>
  stop: AbortController
  waiting: number
}

/**
 * Remembers the vectors of the last queries of one embedder, so that result pages, filters and repeated questions cost no call, and joins equal
 * queries that are under way. Each user has their own: how fast an answer comes must not tell that somebody else has asked the same. The keys are
 * hashes, so that no query stays in memory.
 */
export class QueryVectors {
  readonly #known: LruCache<Float32Array>
  readonly #calls = new Map<string, Call>()

  constructor(maxBytes: number = MAX_BYTES) {
    this.#known = new LruCache(maxBytes)
  }

  /** Returns a remembered vector. The caller must not change it. */
  find(user: string, text: string): Float32Array | undefined {
    return this.#known.get(keyOf(user, text))
  }

  /**
   * Returns the vector of a text, from memory or from `embed`. The caller must not change it. Rejects with the signal's reason when that aborts.
   * `embed` is stopped when nobody waits any more, and when it took longer than the deadline of one of its callers.
   */
  async get(
    { user, text, signal }: { user: string; text: string; signal: AbortSignal },
    embed: (stop: AbortSignal) => Promise<Float32Array>,
  ): Promise<Float32Array> {
    signal.throwIfAborted()
    const key = keyOf(user, text)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const call = this.#calls.get(key) ?? this.#begin(key, embed)
    call.waiting++
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([call.vector, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      call.waiting--
      if (signal.aborted && (call.waiting === 0 || signal.reason instanceof DeadlinePassed)) this.#end(key, call, signal.reason)
    }
  }

  #begin(key: string, embed: (stop: AbortSignal) => Promise<Float32Array>): Call {
    const stop = new AbortController()
    const call: Call = { vector: embed(stop.signal), stop, waiting: 0 }
    this.#calls.set(key, call)
    call.vector.then(
      (vector) => {
        this.#known.set(key, vector, vector.byteLength + OVERHEAD_BYTES)
        this.#end(key, call)
      },
      () => this.#end(key, call),
    )
    return call
  }

  #end(key: string, call: Call, reason?: unknown): void {
    if (this.#calls.get(key) === call) this.#calls.delete(key)
    if (reason !== undefined) call.stop.abort(reason)
  }
}

function keyOf(user: string, text: string): string {
  return createHash('sha256').update(`${user}\0${text}`).digest('base64')
}
