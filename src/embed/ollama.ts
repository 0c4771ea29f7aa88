import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { withBackoff } from './backoff.ts'
import type { Backoff } from './backoff.ts'
import { embedWithBisection } from './bisect.ts'
import type { Embedder } from './embedder.ts'
import { OllamaCallError, createOllamaClient, withoutLatest } from '../ollama/client.ts'
import { explain, healthCode, isWorthRetrying, outlastsCheck } from './ollama-errors.ts'
import { MAX_CONTEXT, TITLE_TOKENS, setUpModel } from './ollama-setup.ts'
import { cutToTokens, estimateSubwords } from '../text/model-tokens.ts'
import { toVector } from './vectors.ts'

export interface OllamaEmbedderOptions {
  url: string
  /** As Ollama names it; `:latest` may be left out. */
  model: string
  log: Logger
  /** Of an index made earlier: the embedder can then be made while Ollama is away, and refuses any other model under the same name. */
  expected?: { fingerprint: string; dimensions: number } | null
  /** Shorter vectors, for models trained to give them (registry.ts). */
  dimensions?: number
  tuning?: Partial<OllamaTuning>
}

export interface OllamaTuning {
  /** Inputs in one call, and the most characters in it unless one input alone has more. */
  batchInputs: number
  batchChars: number
  /** After so long the model's digest is asked for again before its vectors are taken. */
  recheckMs: number
  documents: Backoff & { timeoutMs: number }
  /** Somebody waits: rather keywords alone soon than vectors late. */
  query: Backoff & { timeoutMs: number }
  keepAliveSeconds: number
}

const TUNING: OllamaTuning = {
  batchInputs: 32,
  batchChars: 64_000,
  recheckMs: 30_000,
  documents: { attempts: 5, baseMs: 400, maxMs: 8_000, timeoutMs: 15 * 60_000 },
  query: { attempts: 2, baseMs: 200, maxMs: 200, timeoutMs: 60_000 },
  keepAliveSeconds: 30 * 60,
}

const CHECK_MS = 2_000

/**
 * An embedding model on an Ollama server. No vector is given out unless the model's digest was the expected one before and after it was made.
 * Throws DocsearchError `embedder_unavailable` when the model has to be asked (no `expected`) and cannot be.
 */
export async function createOllamaEmbedder(options: OllamaEmbedderOptions): Promise<Embedder> {
  const { url, log, expected = null } = options
  const model = withoutLatest(options.model)
  const tuning = { ...TUNING, ...options.tuning }
  const client = createOllamaClient(url)
  const closing = new AbortController()
  const translate = (error: unknown): unknown => explain(error, url, model)
  const setup = await setUpModel({ client, model, log, expected, dimensions: options.dimensions, signal: closing.signal }).catch(
    (error: unknown) => {
      throw translate(error)
    },
  )
  const { profile, identity, fingerprint, cutTo, maxTokens } = setup
  /** When the digest was last seen to be right; after any failure it has to be looked at again. */
  let verifiedAt = -Infinity
  let lastFailure: DocsearchError | null = null

  const untilClosed = (signal: AbortSignal | undefined): AbortSignal =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal

  /** Runs with retries; every failure makes the digest suspect: the server may have come back as another one. */
  async function attempt<T>(
    how: Backoff & { timeoutMs: number },
    signal: AbortSignal,
    run: (call: { timeoutMs: number; signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    return await withBackoff(how, isWorthRetrying, signal, () =>
      run({ timeoutMs: how.timeoutMs, signal }).catch((error: unknown) => {
        verifiedAt = -Infinity
        throw error
      }),
    )
  }

  async function verify(how: Backoff & { timeoutMs: number }, signal: AbortSignal): Promise<void> {
    const models = await attempt(how, signal, (call) => client.list(call))
    const found = models.find(({ name }) => name === model)
    if (found === undefined) throw new OllamaCallError('model_missing', `model '${model}' not found`)
    if (found.digest !== identity.digest) {
      verifiedAt = -Infinity
      const message =
        `Ollama's ${model} is no longer the model this index was made with: its vectors cannot be compared with those in the index. ` +
        `Bring the former model back, or embed everything anew with \`docsearch models use ${model}\`.`
      throw new DocsearchError('embedding_model_changed', message, { retryAfter: 60 })
    }
    verifiedAt = performance.now()
  }

  const isStale = (): boolean => performance.now() - verifiedAt > tuning.recheckMs

  async function embed(
    how: Backoff & { timeoutMs: number },
    input: string[],
    signal: AbortSignal,
  ): Promise<(Float32Array | null)[]> {
    const request = {
      model,
      input,
      numCtx: MAX_CONTEXT,
      keepAliveSeconds: tuning.keepAliveSeconds,
      ...(cutTo === undefined ? {} : { dimensions: cutTo }),
    }
    const answer = await attempt(how, signal, (call) => client.embed(request, call))
    if (answer.length !== input.length)
      throw new OllamaCallError('nonsense', `it answers ${answer.length} vectors to ${input.length} texts`)
    return answer.map((values) => {
      if (values.length === identity.dimensions) return toVector(values)
      throw new OllamaCallError(
        'nonsense',
        `it answers vectors of ${values.length} dimensions where the index has ${identity.dimensions}`,
      )
    })
  }

  /** Errors in the words of the interface, remembered for `check`. */
  async function reported<T>(run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      const result = await run()
      lastFailure = null
      return result
    } catch (error) {
      signal?.throwIfAborted()
      const told = translate(error)
      if (told instanceof DocsearchError && outlastsCheck(told)) lastFailure = told
      throw told
    }
  }

  const documentText = (text: string, title: string | null): string =>
    profile.documentTemplate(text, title === null ? null : cutToTokens(title, TITLE_TOKENS))

  // Loads the model before somebody waits for it; that it fails shows at the first real call.
  client
    .embed(
      { model, input: '', numCtx: MAX_CONTEXT, keepAliveSeconds: tuning.keepAliveSeconds },
      { timeoutMs: tuning.documents.timeoutMs, signal: closing.signal },
    )
    .catch((error: unknown) => log.debug({ err: error, model }, 'the embedding model could not be warmed up'))

  return {
    name: `ollama:${model}`,
    canEmbed: true,
    isExternal: true,
    sharedModel: null,
    dimensions: identity.dimensions,
    maxTokens,
    fusionWeight: () => profile.fusionWeight,
    noiseFloor: () => 0,
    fingerprint,
    tokenCounter: 'subwords',
    countTokens: estimateSubwords,
    embedDocuments: (inputs, signal) =>
      reported(async () => {
        const either = untilClosed(signal)
        either.throwIfAborted()
        const texts = inputs.map(({ text, title }) => (text.trim() === '' ? null : documentText(text, title)))
        if (!texts.some((text) => text !== null)) return texts.map(() => null)
        if (isStale()) await verify(tuning.documents, either)
        const vectors = await embedWithBisection(texts, tuning, (batch) => embed(tuning.documents, batch, either), log)
        await verify(tuning.documents, either)
        return vectors
      }, signal),
    embedQuery: (query, signal) =>
      reported(async () => {
        const either = untilClosed(signal)
        const text = profile.queryTemplate(cutToTokens(query, maxTokens))
        // Every time, because a question asked of another model finds nonsense that looks like results; at the same time, because somebody waits.
        const [[vector]] = await Promise.all([embed(tuning.query, [text], either), verify(tuning.query, either)])
        if (vector === null || vector === undefined)
          throw new OllamaCallError('not_finite', 'it gives no usable vector for this question')
        return vector
      }, signal),
    async check(signal) {
      try {
        await verify({ attempts: 1, baseMs: 0, maxMs: 0, timeoutMs: CHECK_MS }, untilClosed(signal))
      } catch (error) {
        const told = translate(error)
        if (told instanceof DocsearchError) return { ok: false, code: healthCode(told), message: told.message }
        return { ok: false, code: 'embedder_unavailable', message: 'The check was broken off.' }
      }
      if (lastFailure !== null) return { ok: false, code: lastFailure.code, message: lastFailure.message }
      return { ok: true, code: 'ok', message: `Ollama has ${model}, the model of this index.` }
    },
    async close() {
      closing.abort(new DocsearchError('embedder_unavailable', 'docsearch is stopping.', { retryAfter: 5 }))
    },
  }
}
