import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { formatOllamaFingerprint, parseOllamaFingerprint } from './fingerprint.ts'
import type { OllamaFingerprint } from './fingerprint.ts'
import { OllamaCallError } from '../ollama/client.ts'
import type { ModelFacts, OllamaClient } from '../ollama/client.ts'
import { knownModel, unknownModel } from './registry.ts'
import type { ModelProfile } from './registry.ts'
import { tokenCounter } from '../text/model-tokens.ts'

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
