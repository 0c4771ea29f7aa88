import { DocsearchError } from '../core/errors.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import type { Logger } from '../core/logger.ts'
import { createBuiltinEmbedder } from './builtin.ts'
import type { Embedder } from './embedder.ts'
import { parseOllamaFingerprint } from './fingerprint.ts'
import { createOllamaEmbedder } from './ollama.ts'
import { createOllamaClient, withoutLatest } from '../ollama/client.ts'
import type { OllamaClient } from '../ollama/client.ts'
import { DEFAULT_MODEL, MODELS } from './registry.ts'

export interface ChooseOptions {
  /** `auto`, `builtin` or `ollama:MODEL`. */
  setting: string
  ollamaUrl: string
  /** What the index there is was made with (the embedder's own fingerprint). */
  existing: { embeddingModel: string; fingerprint: string } | null
  log: Logger
}

export interface Choice {
  /** Null when the one that was asked for cannot be used now; the caller tries again. */
  embedder: Embedder | null
  /** Why this one, in whole sentences. */
  reason: string
}

const PROBE_MS = 2_000
/** Of that many unknown models the capabilities are asked for. */
const MAX_ASKED = 20
const OLLAMA = 'ollama:'

/**
 * The embedder to use, and why. `auto` stays with what an index was made with, because embedding everything again is never done silently; without an
 * index it takes Ollama when that answers and has an embedding model, else the built-in one. Throws only what nobody can mend by waiting.
 */
export async function chooseEmbedder({ setting, ollamaUrl, existing, log }: ChooseOptions): Promise<Choice> {
  if (setting === 'builtin') return { embedder: createBuiltinEmbedder(), reason: 'The built-in embedder was asked for by name.' }
  if (setting.startsWith(OLLAMA)) return await byName(withoutLatest(setting.slice(OLLAMA.length)), { ollamaUrl, existing, log })
  if (existing?.embeddingModel === 'builtin') {
    const change = `\`docsearch serve --embedder ollama:${DEFAULT_MODEL}\` embeds everything anew with a model on Ollama.`
    return {
      embedder: createBuiltinEmbedder(),
      reason: `The index was made with the built-in embedder and stays with it; ${change}`,
    }
  }
  if (existing?.embeddingModel.startsWith(OLLAMA)) return await sameAgain(existing, ollamaUrl, log)
  return await anew(ollamaUrl, log)
}

async function byName(
  model: string,
  { ollamaUrl, existing, log }: Pick<ChooseOptions, 'ollamaUrl' | 'existing' | 'log'>,
): Promise<Choice> {
  const expected = existing?.embeddingModel === OLLAMA + model ? expectedOf(existing) : null
  try {
    const embedder = await createOllamaEmbedder({ url: ollamaUrl, model, log, expected })
    return { embedder, reason: `${model} on Ollama at ${withoutCredentials(ollamaUrl)} was asked for by name.` }
  } catch (error) {
    return { embedder: null, reason: sentenceOf(error) }
  }
}

async function sameAgain(
  existing: { embeddingModel: string; fingerprint: string },
  ollamaUrl: string,
  log: Logger,
): Promise<Choice> {
  const model = existing.embeddingModel.slice(OLLAMA.length)
  try {
    const embedder = await createOllamaEmbedder({ url: ollamaUrl, model, log, expected: expectedOf(existing) })
    const change = '`docsearch serve --embedder builtin` (or `ollama:MODEL`) embeds everything anew with another.'
    return { embedder, reason: `The index was made with ${model} on Ollama and stays with it; ${change}` }
  } catch (error) {
    return { embedder: null, reason: `The index was made with ${model} on Ollama. ${sentenceOf(error)}` }
  }
}

async function anew(ollamaUrl: string, log: Logger): Promise<Choice> {
  const where = `Ollama at ${withoutCredentials(ollamaUrl)}`
  const builtin = (why: string): Choice => ({
    embedder: createBuiltinEmbedder(),
    reason: `The built-in embedder is used, because ${why}`,
  })
  const client = createOllamaClient(ollamaUrl)
  let model: string | null
  try {
    model = await bestModel(client)
  } catch (error) {
    log.debug({ err: error }, 'no Ollama to be found')
    return builtin(
      `there is no answer from ${where}. Nothing else is needed; a model on Ollama would find more of what is said in other words, and in other languages than English.`,
    )
  }
  if (model === null) {
    const how = `\`ollama pull ${DEFAULT_MODEL}\`, then \`docsearch serve --embedder ollama:${DEFAULT_MODEL}\``
    return builtin(`${where} has no embedding model. To use one: ${how}.`)
  }
  try {
    const embedder = await createOllamaEmbedder({ url: ollamaUrl, model, log })
    return { embedder, reason: `${where} answers and has ${model}.` }
  } catch (error) {
    log.warn({ err: error, model }, 'the embedding model on Ollama cannot be used')
    return builtin(`${model} could not be used. ${sentenceOf(error)}`)
  }
}

/** The known model that stands first in the registry, else any that says it can embed. Within 2 s. */
async function bestModel(client: OllamaClient): Promise<string | null> {
  const call = { timeoutMs: PROBE_MS, signal: AbortSignal.timeout(PROBE_MS) }
  const installed = (await client.list(call)).map(({ name }) => name)
  for (const { family } of MODELS) {
    // A tag of its own may be another size; the plain name comes first.
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
