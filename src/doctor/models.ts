import { isDocsearchError } from '../core/errors.ts'
import { finding } from '../core/findings.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import { shippedModel } from '../embed/model/file.ts'
import { createOllamaClient, OllamaCallError, withoutLatest } from '../ollama/client.ts'
import type { Check, Scene } from './scene.ts'

const ASK_MS = 5_000
const PREFIX = 'ollama:'

/** Reads the built-in model, and asks Ollama for the models that the instance needs. */
export const checkModels: Check = async (scene) => {
  try {
    shippedModel()
  } catch (error) {
    if (!isDocsearchError(error, 'internal_error')) throw error
    scene.add(finding('model_file_damaged', error.message))
  }
  const { inspection, settings } = scene
  const active = (await inspection?.indexes())?.find(({ state }) => state === 'active')
  const needed = [active?.embeddingModel ?? '', settings.reranker].filter((name) => name.startsWith(PREFIX))
  if (needed.length === 0) return { message: 'The built-in model. Nothing needs Ollama.' }
  await askOllama(
    scene,
    needed.map((name) => name.slice(PREFIX.length)),
  )
  return { message: `The built-in model, and ${needed.join(' and ')}.` }
}

async function askOllama({ settings, add }: Scene, needed: readonly string[]): Promise<void> {
  const where = `Ollama at ${withoutCredentials(settings.ollamaUrl)}`
  try {
    const installed = await createOllamaClient(settings.ollamaUrl).list({ timeoutMs: ASK_MS })
    const names = new Set(installed.map(({ name }) => name))
    for (const name of new Set(needed))
      if (!names.has(withoutLatest(name))) add(finding('model_missing', `${where} has no model ${name}.`, { place: name }))
  } catch (error) {
    if (!(error instanceof OllamaCallError)) throw error
    add(finding('ollama_unreachable', `${where} cannot be reached: ${error.message}.`))
  }
}
