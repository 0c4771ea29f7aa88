import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { formatOllamaFingerprint, parseOllamaFingerprint } from './fingerprint.ts'
import type { OllamaFingerprint } from './fingerprint.ts'
import { OllamaCallError } from '../ollama/client.ts'
import type { ModelFacts, OllamaClient } from '../ollama/client.ts'
import { knownModel, unknownModel } from './registry.ts'
import type { ModelProfile } from './registry.ts'
import { estimateSubwords } from '../text/model-tokens.ts'

/** Tokens that the model adds itself at both ends, with some to spare. */
const SPECIAL_TOKENS = 8
/** Most of a title that goes into a template. */
export const TITLE_TOKENS = 96
/** Ollama works in batches of at most so many tokens and cannot embed across them, whatever the context. Also sent as `num_ctx`. */
export const MAX_CONTEXT = 2048
/** For a model nobody knows while its server is away. */
const CAUTIOUS_CONTEXT = 512
const SETUP_MS = 5_000
/** A cold model on a slow disk takes its time. */
const PROBE_MS = 120_000

export interface OllamaSetup {
  profile: ModelProfile
  identity: OllamaFingerprint
  fingerprint: string
  /** Sent with each call; undefined for the model's own. */
  cutTo: number | undefined
  maxTokens: number
}

export interface SetupRequest {
  client: OllamaClient
  model: string
  log: Logger
  /** Of an index made earlier: then nothing has to be asked. */
  expected: { fingerprint: string; dimensions: number } | null
  dimensions: number | undefined
  signal: AbortSignal
}

/** Finds out what is needed to use a model. Throws OllamaCallError when it has to ask and cannot, DocsearchError for a model that does not fit. */
export async function setUpModel({ client, model, log, expected, dimensions, signal }: SetupRequest): Promise<OllamaSetup> {
  const profile = knownModel(model) ?? unknownModel(model)
  if (knownModel(model) === null) {
    log.warn(
      { model },
      'this embedding model is not known to docsearch: it is used without prefixes, which may cost it much of its quality',
    )
  }
  const made = expected && parseOllamaFingerprint(expected.fingerprint)
  const isOurs = made && made.model === model && made.templateVersion === profile.templateVersion
  if (isOurs) {
    const facts = await client.show(model, { timeoutMs: SETUP_MS, signal }).catch((error: unknown) => {
      log.debug({ err: error, model }, 'the embedding model cannot be asked for its limits now')
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
      `${model} is no embedding model: its capabilities are ${facts.capabilities.join(', ')}.`,
    )
  }
  const full = await dimensionsOf(client, model, profile, facts, signal)
  if (dimensions !== undefined) requireCut(profile, model, full, dimensions)
  const identity = { model, digest, templateVersion: profile.templateVersion, dimensions: dimensions ?? full }
  return finish(profile, identity, dimensions, facts)
}

/** What a known model's server says; of an unknown one only what it does is to be relied on. */
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
  if (vector === undefined || vector.length === 0) throw new OllamaCallError('nonsense', 'it answers without a vector')
  return vector.length
}

/** Ollama cuts any model's vectors; only those trained for it are any good afterwards. */
function requireCut({ cuts }: ModelProfile, model: string, full: number, wanted: number): void {
  if (wanted === full || (wanted > 0 && wanted < full && (cuts === 'any' || cuts.includes(wanted)))) return
  const others = cuts === 'any' ? `any number below ${full}` : [full, ...cuts].join(', ')
  throw new DocsearchError(
    'invalid_configuration',
    `${model} cannot give vectors of ${wanted} dimensions; it can give ${others}.`,
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
  const prefix = Math.max(estimateSubwords(profile.documentTemplate('', null)), estimateSubwords(profile.queryTemplate('')))
  const maxTokens = limit - SPECIAL_TOKENS - prefix - (profile.usesTitle ? TITLE_TOKENS : 0)
  return { profile, identity, fingerprint: formatOllamaFingerprint(identity), cutTo, maxTokens: Math.max(32, maxTokens) }
}
