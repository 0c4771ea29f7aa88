import { withoutCredentials } from '../core/http-fetch.ts'
import { DocsearchError } from '../core/errors.ts'
import { createOllamaClient, OllamaCallError, withoutLatest, pullModel, type PullProgress } from '../ollama/client.ts'
import { BUILTIN_DIMENSIONS } from './builtin.ts'
import { knownModel } from './registry.ts'

/** An embedder that the instance can use. */
export interface AvailableEmbedder {
  /** `builtin`, `ollama:embeddinggemma`. */
  name: string
  /** Null when the server does not say. */
  dimensions: number | null
  /** On Ollama's disk. Null for the built-in embedder. */
  sizeBytes: number | null
  /** True when docsearch knows the prefixes and limits that the model was trained with. Other models work too, but not as well. */
  known: boolean
}

export interface EmbedderModels {
  /** Lists the embedders. `ollama.ok` is false when Ollama could not be asked; the list then has the built-in embedder only. */
  available(signal: AbortSignal): Promise<{ embedders: AvailableEmbedder[]; ollama: { ok: boolean; message: string } }>
  /** Downloads a model through Ollama and reports its progress. Throws DocsearchError `model_not_found` and `pull_failed`. */
  pull(model: string, signal: AbortSignal): AsyncGenerator<PullProgress>
}

const ASK_MS = 3_000
/** How many models are asked for their capabilities. */
const MAX_ASKED = 100

export function createEmbedderModels(ollamaUrl: string): EmbedderModels {
  const where = `Ollama at ${withoutCredentials(ollamaUrl)}`
  const builtin: AvailableEmbedder = { name: 'builtin', dimensions: BUILTIN_DIMENSIONS, sizeBytes: null, known: true }

  async function onOllama(signal: AbortSignal): Promise<AvailableEmbedder[]> {
    const client = createOllamaClient(ollamaUrl)
    const call = { timeoutMs: ASK_MS, signal }
    const installed = (await client.list(call)).slice(0, MAX_ASKED)
    const asked = installed.map(async ({ name, sizeBytes }) => {
      const known = knownModel(name)
      const facts = await client.show(name, call)
      // Older servers list no capabilities: then only known models count.
      const canEmbed = facts.capabilities.length === 0 ? known !== null : facts.capabilities.includes('embedding')
      const dimensions = known?.dimensions ?? facts.dimensions
      return canEmbed ? [{ name: `ollama:${name}`, dimensions, sizeBytes, known: known !== null }] : []
    })
    return (await Promise.all(asked)).flat()
  }

  return {
    async available(signal) {
      try {
        const found = await onOllama(signal)
        return { embedders: [builtin, ...found], ollama: { ok: true, message: `${where} answers.` } }
      } catch (error) {
        if (!(error instanceof OllamaCallError)) throw error
        return { embedders: [builtin], ollama: { ok: false, message: `${where} cannot be reached: ${error.message}.` } }
      }
    },
    async *pull(model, signal) {
      try {
        yield* pullModel(ollamaUrl, withoutLatest(model), signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof OllamaCallError)) throw error
        if (error.failure === 'model_missing')
          throw new DocsearchError('model_not_found', `${where} has no model ${model} to download: ${error.message}.`, {
            cause: error,
          })
        throw new DocsearchError('pull_failed', `${where} could not download ${model}: ${error.message}.`, { cause: error })
      }
    },
  }
}
