import { DocsearchError } from '../core/errors.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import type { Logger } from '../core/logger.ts'
import { createBuiltinEmbedder } from './builtin.ts'
import type { Embedder } from './embedder.ts'
import { parseOllamaFingerprint } from './ollama-model.ts'
import { createOllamaEmbedder } from './ollama.ts'
import type { CallQueue } from '../ollama/call-queue.ts'
import { createOllamaClient, withoutLatest, type OllamaClient } from '../ollama/client.ts'
import { DEFAULT_MODEL, MODELS } from './registry.ts'

export interface ChooseOptions {
  /** `auto`, `builtin` or `ollama:MODEL`. */
  setting: string
  ollamaUrl: string
  /** The embedder that made the existing index, with its own fingerprint. */
  existing: { embeddingModel: string; fingerprint: string } | null
  log: Logger
  /** The queue of all calls to this Ollama. */
  queue?: CallQueue | undefined
}

type Server = Pick<ChooseOptions, 'ollamaUrl' | 'log' | 'queue'>

export interface Choice {
  /** Null when the chosen embedder can't be used now. The caller tries again later. */
  embedder: Embedder | null
  /** Why this embedder, in whole sentences for users. */
  reason: string
}

const PROBE_MS = 2_000
/** How many unknown models are asked for their capabilities. */
const MAX_ASKED = 20
const OLLAMA = 'ollama:'
const BUILTIN = 'builtin'

/**
 * Returns the embedder to use, and why. `auto` keeps the embedder that made the index, because docsearch never embeds all documents
 * again unasked. Without an index it uses Ollama when that answers and has an embedding model, otherwise the built-in embedder. Throws
 * only errors that waiting can't cure.
 */
export async function chooseEmbedder({ setting, ollamaUrl, existing, log, queue }: ChooseOptions): Promise<Choice> {
  if (setting === BUILTIN) return { embedder: createBuiltinEmbedder(), reason: 'You chose the built-in embedder.' }
  if (setting.startsWith(OLLAMA))
    return chooseNamed(withoutLatest(setting.slice(OLLAMA.length)), { ollamaUrl, existing, log, queue })
  if (existing?.embeddingModel === BUILTIN)
    return { embedder: createBuiltinEmbedder(), reason: await keptBuiltinReason({ ollamaUrl }) }
  if (existing?.embeddingModel.startsWith(OLLAMA)) return keepOllama(existing, { ollamaUrl, log, queue })
  return chooseFirst({ ollamaUrl, log, queue })
}

function keptReason(embedder: string): string {
  return `The index was built with ${embedder}, which stays in use. To change it, run \`docsearch models use MODEL\`.`
}

/** Names a model that is there, and what it would bring. */
async function keptBuiltinReason({ ollamaUrl }: Pick<ChooseOptions, 'ollamaUrl'>): Promise<string> {
  // Without Ollama, there is nothing to advise.
  const model = await bestModel(createOllamaClient(ollamaUrl)).catch(() => null)
  if (model === null) return keptReason('the built-in embedder')
  return (
    `The index was built with the built-in embedder, which stays in use. Ollama at ${withoutCredentials(ollamaUrl)} has ${model}, ` +
    `which understands looser wording and perhaps other languages: to change to it, run \`docsearch models use ${model}\`.`
  )
}

async function chooseNamed(
  model: string,
  { ollamaUrl, existing, log, queue }: Server & Pick<ChooseOptions, 'existing'>,
): Promise<Choice> {
  const expected = existing?.embeddingModel === OLLAMA + model ? expectedOf(existing) : null
  try {
    const embedder = await createOllamaEmbedder({ url: ollamaUrl, model, log, queue, expected })
    return { embedder, reason: `You chose ${model} on Ollama at ${withoutCredentials(ollamaUrl)}.` }
  } catch (error) {
    return { embedder: null, reason: sentenceOf(error) }
  }
}

async function keepOllama(
  existing: { embeddingModel: string; fingerprint: string },
  { ollamaUrl, log, queue }: Server,
): Promise<Choice> {
  const model = existing.embeddingModel.slice(OLLAMA.length)
  try {
    const embedder = await createOllamaEmbedder({ url: ollamaUrl, model, log, queue, expected: expectedOf(existing) })
    return { embedder, reason: keptReason(`${model} on Ollama`) }
  } catch (error) {
    return { embedder: null, reason: `The index was built with ${model} on Ollama. ${sentenceOf(error)}` }
  }
}

async function chooseFirst({ ollamaUrl, log, queue }: Server): Promise<Choice> {
  const where = `Ollama at ${withoutCredentials(ollamaUrl)}`
  const builtin = (reason: string): Choice => ({ embedder: createBuiltinEmbedder(), reason })
  const pull = `run \`docsearch models pull ${DEFAULT_MODEL}\``
  const client = createOllamaClient(ollamaUrl)
  let model: string | null
  try {
    model = await bestModel(client)
  } catch (error) {
    log.debug({ err: error }, 'Ollama does not answer')
    return builtin(
      `${where} does not answer. The built-in embedder works as is. For other languages and looser wording, install Ollama and ${pull}.`,
    )
  }
  if (model === null) {
    return builtin(
      `${where} has no embedding model. The built-in embedder works as is. For other languages and looser wording, ${pull}.`,
    )
  }
  try {
    const embedder = await createOllamaEmbedder({ url: ollamaUrl, model, log, queue })
    return { embedder, reason: `${where} answers and has ${model}.` }
  } catch (error) {
    log.warn({ err: error, model }, 'the embedding model on Ollama cannot be used')
    return builtin(`${sentenceOf(error)} The built-in embedder is used instead.`)
  }
}

/** Returns the installed model that comes first in the registry, otherwise any model that says it can embed. Takes at most 2 s. */
async function bestModel(client: OllamaClient): Promise<string | null> {
  const call = { timeoutMs: PROBE_MS, signal: AbortSignal.timeout(PROBE_MS) }
  const installed = (await client.list(call)).map(({ name }) => name)
  for (const { family } of MODELS) {
    // A tag may mean another size, so the name without a tag comes first.
    const found = installed.find((name) => name === family) ?? installed.find((name) => name.startsWith(`${family}:`))
    if (found !== undefined) return found
  }
  for (const name of installed.slice(0, MAX_ASKED)) {
    if ((await client.show(name, call)).capabilities.includes('embedding')) return name
  }
  return null
}

function expectedOf(existing: { fingerprint: string }): { fingerprint: string; dimensions: number } | null {
  const made = parseOllamaFingerprint(existing.fingerprint)
  return made && { fingerprint: existing.fingerprint, dimensions: made.dimensions }
}

function sentenceOf(error: unknown): string {
  if (error instanceof DocsearchError) return error.message
  throw error
}
