import pRetry from 'p-retry'
import { BreakerOpen } from '../core/breaker.ts'
import { DocsearchError, type ErrorCode } from '../core/errors.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import type { Logger } from '../core/logger.ts'
import { type CallOptions, type ModelFacts, OllamaCallError, type OllamaClient } from '../ollama/client.ts'
import { tokenCounter } from '../text/model-tokens.ts'
import { knownModel, type ModelProfile, unknownModel } from './registry.ts'

/** What a model adds at both ends, and as much again for a word that is counted in parts. */
const SPECIAL_TOKENS = 4
/** The share of the limit that a passage may have by an estimate, because Ollama refuses a passage that is too long. */
const ESTIMATED_SHARE = 0.85
/** The most tokens of a title that go into a template. */
export const TITLE_TOKENS = 96
/** Ollama embeds batches of at most this many tokens, and no text across batches, whatever the context. Also sent as `num_ctx`. */
export const MAX_CONTEXT = 2048
/** The context of an unknown model whose server does not answer. */
const CAUTIOUS_CONTEXT = 512
const SETUP_MS = 5_000
/** Time for a slow disk to load the model. */
const PROBE_MS = 120_000

export interface OllamaSetup {
  profile: ModelProfile
  identity: OllamaFingerprint
  fingerprint: string
  /** Number of dimensions to ask for. Undefined for the model's own. */
  cutTo: number | undefined
  maxTokens: number
}

export interface SetupRequest {
  client: OllamaClient
  model: string
  log: Logger
  /** What an existing index was made with. The server then need not answer. */
  expected: { fingerprint: string; dimensions: number } | null
  dimensions: number | undefined
  signal: AbortSignal
}

/** Finds out how to use a model. Throws OllamaCallError when it has to ask the server and can't, DocsearchError for an unsuitable model. */
export async function setUpModel({ client, model, log, expected, dimensions, signal }: SetupRequest): Promise<OllamaSetup> {
  const profile = knownModel(model) ?? unknownModel(model)
  if (knownModel(model) === null) {
    log.warn(
      { model },
      'docsearch does not know this embedding model and uses it without prefixes, which can make its results much worse',
    )
  }
  const made = expected && parseOllamaFingerprint(expected.fingerprint)
  const isSame = made && made.model === model && made.templateVersion === profile.templateVersion
  if (isSame) {
    const facts = await client.show(model, { timeoutMs: SETUP_MS, signal }).catch((error: unknown) => {
      log.debug({ err: error, model }, 'Ollama does not answer with the limits of the embedding model')
      return null
    })
    const isCut = profile.cuts === 'any' || profile.cuts.includes(made.dimensions)
    return finish(profile, made, isCut ? made.dimensions : undefined, facts)
  }
  const digest = (await client.list({ timeoutMs: SETUP_MS, signal })).find(({ name }) => name === model)?.digest
  if (digest === undefined) throw new OllamaCallError('model_missing', `model '${model}' not found`)
  const facts = await client.show(model, { timeoutMs: SETUP_MS, signal })
  if (facts.capabilities.length > 0 && !facts.capabilities.includes('embedding')) {
    throw new DocsearchError(
      'embedder_unavailable',
      `${model} is not an embedding model: its capabilities are ${facts.capabilities.join(', ')}.`,
    )
  }
  const full = await dimensionsOf(client, model, profile, facts, signal)
  if (dimensions !== undefined) requireCut(profile, model, full, dimensions)
  const identity = { model, digest, templateVersion: profile.templateVersion, dimensions: dimensions ?? full }
  return finish(profile, identity, dimensions, facts)
}

/** Returns a model's dimensions. The server's facts count for known models only; an unknown model has to embed a word. */
async function dimensionsOf(
  client: OllamaClient,
  model: string,
  profile: ModelProfile,
  facts: ModelFacts,
  signal: AbortSignal,
): Promise<number> {
  const known = profile.dimensions ?? (knownModel(model) ? facts.dimensions : null)
  if (known !== null) return known
  const [vector] = await client.embed(
    { model, input: ['dimensions'], numCtx: MAX_CONTEXT, keepAliveSeconds: 300 },
    { timeoutMs: PROBE_MS, signal },
  )
  if (vector === undefined || vector.length === 0) throw new OllamaCallError('nonsense', 'its answer has no vector')
  return vector.length
}

/** Refuses dimensions that the model was not trained for: Ollama would cut its vectors all the same, and they would be useless. */
function requireCut({ cuts }: ModelProfile, model: string, full: number, wanted: number): void {
  if (wanted === full || (wanted > 0 && wanted < full && (cuts === 'any' || cuts.includes(wanted)))) return
  const others = cuts === 'any' ? `any number below ${full}` : [full, ...cuts].join(', ')
  throw new DocsearchError(
    'invalid_configuration',
    `${model} cannot produce vectors of ${wanted} dimensions; it can produce ${others}.`,
  )
}

function finish(
  profile: ModelProfile,
  identity: OllamaFingerprint,
  cutTo: number | undefined,
  facts: ModelFacts | null,
): OllamaSetup {
  const served = facts?.contextTokens ?? (knownModel(identity.model) ? profile.contextTokens : CAUTIOUS_CONTEXT)
  const limit = Math.min(profile.contextTokens, served, MAX_CONTEXT)
  const countTokens = tokenCounter(profile.tokens)
  const prefix = Math.max(countTokens(profile.documentTemplate('', null)), countTokens(profile.queryTemplate('')))
  const room = limit - SPECIAL_TOKENS - prefix - (profile.usesTitle ? TITLE_TOKENS : 0)
  const isEstimate = profile.tokens === 'gemma' || profile.tokens === 'qwen'
  const maxTokens = Math.floor(room * (isEstimate ? ESTIMATED_SHARE : 1))
  return { profile, identity, fingerprint: formatOllamaFingerprint(identity), cutTo, maxTokens: Math.max(32, maxTokens) }
}

/** How often and how long a call is tried. Pauses between tries grow from `minTimeout` (to twice that, at random) up to `maxTimeout`. */
export interface Patience {
  retries: number
  minTimeout: number
  maxTimeout: number
  /** Milliseconds one try has. */
  timeoutMs: number
}

/**
 * One model on an Ollama server. Knows when the server last showed the expected digest: after any failure it has to be checked
 * again, because the server may have come back with another model under the same name.
 */
export class OllamaModel {
  private readonly client: OllamaClient
  private readonly name: string
  private readonly digest: string
  private verifiedAt = -Infinity

  constructor(client: OllamaClient, name: string, digest: string) {
    this.client = client
    this.name = name
    this.digest = digest
  }

  /** Calls the server with retries, where trying again may help. */
  async call<T>(
    { timeoutMs, ...patience }: Patience,
    signal: AbortSignal,
    run: (client: OllamaClient, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const attempt = () =>
      run(this.client, { timeoutMs, signal }).catch((error: unknown) => {
        this.verifiedAt = -Infinity
        throw error
      })
    // Random pauses, so that many callers do not return at the same moment.
    return pRetry(attempt, { ...patience, randomize: true, signal, shouldRetry: ({ error }) => isWorthRetrying(error) })
  }

  /** Throws `embedding_model_changed` when the server has another model under this name, OllamaCallError when it has none. */
  async verify(patience: Patience, signal: AbortSignal): Promise<void> {
    const models = await this.call(patience, signal, (client, options) => client.list(options))
    const found = models.find(({ name }) => name === this.name)
    if (found === undefined) throw new OllamaCallError('model_missing', `model '${this.name}' not found`)
    if (found.digest !== this.digest) {
      this.verifiedAt = -Infinity
      throw modelChanged(this.name)
    }
    this.verifiedAt = performance.now()
  }

  isVerifiedWithin(ms: number): boolean {
    return performance.now() - this.verifiedAt <= ms
  }
}

function modelChanged(name: string): DocsearchError {
  const message =
    `Ollama's ${name} is no longer the model that built this index, so its vectors cannot be compared with those in the index. ` +
    `Install the former model again, or embed all documents with the new one: \`docsearch models use ${name}\`.`
  return new DocsearchError('embedding_model_changed', message, { retryAfter: 60 })
}

/** Everything that makes the vectors of an Ollama model comparable. */
interface OllamaFingerprint {
  /** Without `:latest`. */
  model: string
  digest: string
  templateVersion: number
  dimensions: number
}

function formatOllamaFingerprint({ model, digest, templateVersion, dimensions }: OllamaFingerprint): string {
  return `ollama:${model}@${digest}#template${templateVersion}:${dimensions}`
}

/** Returns null for the fingerprint of another kind of embedder. */
export function parseOllamaFingerprint(text: string): OllamaFingerprint | null {
  const match = /^ollama:(?<model>.+)@(?<digest>[^@#]+)#template(?<template>\d+):(?<dimensions>\d+)$/.exec(text)
  if (match === null) return null
  const { model, digest, template, dimensions } = match.groups as Record<'model' | 'digest' | 'template' | 'dimensions', string>
  return { model, digest, templateVersion: Number(template), dimensions: Number(dimensions) }
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof OllamaCallError && (error.failure === 'unreachable' || error.failure === 'busy')
}

/** Returns a failed call as a DocsearchError that says what to do. Returns every other error unchanged. */
export function explain(error: unknown, url: string, model: string): unknown {
  if (error instanceof BreakerOpen)
    return new DocsearchError('embedder_unavailable', notAnswering(url), { cause: error, retryAfter: 15 })
  if (!(error instanceof OllamaCallError)) return error
  const where = `Ollama at ${withoutCredentials(url)}`
  const make = (message: string, retryAfter: number): DocsearchError =>
    new DocsearchError('embedder_unavailable', message, { cause: error, retryAfter })
  switch (error.failure) {
    case 'unreachable':
    case 'timeout':
      return make(`${where} cannot be reached: ${error.message}. Start it, or set its address with \`--ollama\`.`, 15)
    case 'busy':
      return make(`${where} is overloaded or failing: ${error.message}.`, 15)
    case 'model_missing':
      return make(`${where} does not have the model ${model}. Run \`docsearch models pull ${model}\`.`, 30)
    case 'too_long':
    case 'not_finite':
    case 'refused':
    case 'nonsense':
      return make(`${where} cannot embed with ${model}: ${error.message}.`, 60)
  }
}

/** Says that the server missed the deadline of a query and has not answered since. */
export function notAnswering(url: string): string {
  return `Ollama at ${withoutCredentials(url)} did not answer a query in time. Searches use keywords only until it answers again.`
}

/** Returns the code for the health report. A missing model has its own code, because a pull cures it. */
export function healthCode(error: DocsearchError): ErrorCode {
  return error.cause instanceof OllamaCallError && error.cause.failure === 'model_missing'
    ? 'embedding_model_missing'
    : error.code
}

/** True for failures that `check` can't notice in the list of models. They count until something is embedded. */
export function outlastsCheck(error: DocsearchError): boolean {
  return error.cause instanceof OllamaCallError && ['refused', 'nonsense', 'not_finite'].includes(error.cause.failure)
}
