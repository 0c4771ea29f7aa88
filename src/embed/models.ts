import { withoutCredentials } from '../core/http-fetch.ts'
import { DocsearchError } from '../core/errors.ts'
import { createOllamaClient, OllamaCallError, withoutLatest } from '../ollama/client.ts'
import { pullModel } from '../ollama/pull.ts'
import type { PullProgress } from '../ollama/pull.ts'
import { BUILTIN_DIMENSIONS } from './builtin.ts'
import { knownModel } from './registry.ts'

/** An embedder that could be used. */
export interface AvailableEmbedder {
  /** `builtin`, `ollama:embeddinggemma`. */
  name: string
  /** Null where the server does not say. */
  dimensions: number | null
  /** On Ollama's disk; null for the built-in one. */
  sizeBytes: number | null
  /** Used with the prefixes and limits it was trained for; others work, with less to expect. */
  known: boolean
}

export interface EmbedderModels {
  /** `ollama.ok` false: it could not be asked, and only the built-in one is in the list. */
  available(signal: AbortSignal): Promise<{ embedders: AvailableEmbedder[]; ollama: { ok: boolean; message: string } }>
  /** The download of a model through Ollama. Throws DocsearchError `pull_failed` with the reason. */
  pull(model: string, signal: AbortSignal): AsyncGenerator<PullProgress>
}

const ASK_MS = 3_000
/** Of that many models the capabilities are asked for. */
const MOST_ASKED = 100

/** What the instance could embed with. */
export function createEmbedderModels(ollamaUrl: string): EmbedderModels {
  const where = `Ollama at ${withoutCredentials(ollamaUrl)}`
  const builtin: AvailableEmbedder = { name: 'builtin', dimensions: BUILTIN_DIMENSIONS, sizeBytes: null, known: true }

  async function onOllama(signal: AbortSignal): Promise<AvailableEmbedder[]> {
    const client = createOllamaClient(ollamaUrl)
    const call = { timeoutMs: ASK_MS, signal }
    const installed = (await client.list(call)).slice(0, MOST_ASKED)
    const asked = installed.map(async ({ name, sizeBytes }) => {
      const known = knownModel(name)
      const facts = await client.show(name, call)
      // Older servers name no capabilities: then only a name we know counts.
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
        return { embedders: [builtin], ollama: { ok: false, message: `${where} cannot be asked: ${error.message}.` } }
      }
    },
    async *pull(model, signal) {
      try {
        yield* pullModel(ollamaUrl, withoutLatest(model), signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof OllamaCallError)) throw error
        const reason =
          error.failure === 'model_missing'
            ? `${where} knows no model ${model}: ${error.message}.`
            : `${where} could not download ${model}: ${error.message}.`
        throw new DocsearchError('pull_failed', reason, { cause: error })
      }
    },
  }
}
