import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { createOllamaClient, OllamaCallError, type OllamaClient, withoutLatest } from '../ollama/client.ts'
import { cutToTokens, estimateSubwords } from '../text/model-tokens.ts'
import { embedWithBisection } from './bisect.ts'
import type { Embedder, EmbedderHealth, EmbeddingInput } from './embedder.ts'
import { explain, healthCode, outlastsCheck } from './ollama-errors.ts'
import { OllamaModel, type Patience } from './ollama-model.ts'
import { MAX_CONTEXT, type OllamaSetup, setUpModel, TITLE_TOKENS } from './ollama-setup.ts'
import { toVector } from './vectors.ts'

export interface OllamaEmbedderOptions {
  url: string
  /** As Ollama names it; `:latest` may be left out. */
  model: string
  log: Logger
  /** What an existing index was made with: the embedder then starts without Ollama, and refuses any other model under the same name. */
  expected?: { fingerprint: string; dimensions: number } | null
  /** Shorter vectors, for models trained to give them (registry.ts). */
  dimensions?: number
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
  keepAliveSeconds: number
}

const TUNING: OllamaTuning = {
  batchInputs: 32,
  batchChars: 64_000,
  recheckMs: 30_000,
  documents: { retries: 4, minTimeout: 200, maxTimeout: 8_000, timeoutMs: 15 * 60_000 },
  query: { retries: 1, minTimeout: 100, maxTimeout: 200, timeoutMs: 60_000 },
  keepAliveSeconds: 30 * 60,
}

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
  readonly tokenCounter = 'subwords'
  readonly countTokens = estimateSubwords

  private readonly server: OllamaModel
  private readonly setup: OllamaSetup
  private readonly settings: Settings
  private readonly closing: AbortController
  /** The last failure that `check` would not notice by itself. */
  private lastFailure: DocsearchError | null = null

  constructor(client: OllamaClient, setup: OllamaSetup, closing: AbortController, settings: Settings) {
    this.name = `ollama:${settings.model}`
    this.dimensions = setup.identity.dimensions
    this.maxTokens = setup.maxTokens
    this.fingerprint = setup.fingerprint
    this.server = new OllamaModel(client, settings.model, setup.identity.digest)
    this.setup = setup
    this.settings = settings
    this.closing = closing
  }

  fusionWeight(): number {
    return this.setup.profile.fusionWeight
  }

  hasMeaning(): boolean {
    return true
  }

  noiseDeviation(): number {
    return 0
  }

  embedDocuments(inputs: readonly EmbeddingInput[], signal?: AbortSignal): Promise<(Float32Array | null)[]> {
    const { tuning, log } = this.settings
    return this.reported(signal, async (either) => {
      either.throwIfAborted()
      const texts = inputs.map((input) => (input.text.trim() === '' ? null : this.documentText(input)))
      if (!texts.some((text) => text !== null)) return texts.map(() => null)
      if (!this.server.isVerifiedWithin(tuning.recheckMs)) await this.server.verify(tuning.documents, either)
      const vectors = await embedWithBisection(texts, tuning, (batch) => this.embed(tuning.documents, batch, either), log)
      await this.server.verify(tuning.documents, either)
      return vectors
    })
  }

  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array> {
    const { tuning } = this.settings
    return this.reported(signal, async (either) => {
      const text = this.setup.profile.queryTemplate(cutToTokens(query, this.maxTokens))
      // The digest is checked for every question, because another model's vector finds nonsense that looks like results. Both
      // calls run at the same time, because a user is waiting.
      const [[vector]] = await Promise.all([this.embed(tuning.query, [text], either), this.server.verify(tuning.query, either)])
      if (vector === null || vector === undefined)
        throw new OllamaCallError('not_finite', 'the model returns no usable vector for this query')
      return vector
    })
  }

  async check(signal?: AbortSignal): Promise<EmbedderHealth> {
    const { url, model } = this.settings
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
  }

  /** Loads the model before a user waits for it. A failure is only logged: the first real call meets it again. */
  warmUp(client: OllamaClient): void {
    const { model, log, tuning } = this.settings
    client
      .embed(this.request(''), { timeoutMs: tuning.documents.timeoutMs, signal: this.closing.signal })
      .catch((error: unknown) => log.debug({ err: error, model }, 'the embedding model could not be warmed up'))
  }

  private untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal
  }

  private request(input: string | string[]) {
    const { model, tuning } = this.settings
    return { model, input, numCtx: MAX_CONTEXT, keepAliveSeconds: tuning.keepAliveSeconds }
  }

  private async embed(patience: Patience, input: string[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const { cutTo } = this.setup
    const request = { ...this.request(input), ...(cutTo !== undefined && { dimensions: cutTo }) }
    const answer = await this.server.call(patience, signal, (client, options) => client.embed(request, options))
    if (answer.length !== input.length)
      throw new OllamaCallError('nonsense', `it returned ${answer.length} vectors for ${input.length} texts`)
    return answer.map((values) => {
      if (values.length === this.dimensions) return toVector(values)
      const message = `it returned vectors of ${values.length} dimensions, but the index has ${this.dimensions}`
      throw new OllamaCallError('nonsense', message)
    })
  }

  /** Runs `work` until the signal or the end of the embedder. Explains its errors and remembers them for `check`. */
  private async reported<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { url, model } = this.settings
    try {
      const result = await work(this.untilClosed(signal))
      this.lastFailure = null
      return result
    } catch (error) {
      signal?.throwIfAborted()
      const explained = explain(error, url, model)
      if (explained instanceof DocsearchError && outlastsCheck(explained)) this.lastFailure = explained
      throw explained
    }
  }

  private documentText({ text, title }: EmbeddingInput): string {
    return this.setup.profile.documentTemplate(text, title === null ? null : cutToTokens(title, TITLE_TOKENS))
  }
}
