import { afterEach, beforeEach } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import type { Embedder, EmbeddingInput } from '../../../src/embed/embedder.ts'
import { createOllamaEmbedder } from '../../../src/embed/ollama.ts'
import type { OllamaEmbedderOptions, OllamaTuning } from '../../../src/embed/ollama.ts'
import type { FakeModel } from '../../support/fake-ollama-model.ts'
import { startFakeOllama } from '../../support/fake-ollama.ts'
import type { FakeOllama } from '../../support/fake-ollama.ts'

/** Pauses of at most 2 ms, and a check of the digest before and after every call. */
export const QUICK: Partial<OllamaTuning> = {
  recheckMs: -1,
  documents: { retries: 2, minTimeout: 1, maxTimeout: 2, timeoutMs: 60_000 },
  query: { retries: 1, minTimeout: 1, maxTimeout: 2, timeoutMs: 60_000 },
}

export interface Stage {
  fake: FakeOllama
  /** Creates an embedder, which is closed after the test. */
  make(options?: Partial<OllamaEmbedderOptions>): Promise<Embedder>
}

/** Starts a fake Ollama for each test of a file. A planned fault that no call met fails the test. */
export function onStage(models?: FakeModel[]): Stage {
  const made: Embedder[] = []
  const stage = {
    make: async (options: Partial<OllamaEmbedderOptions> = {}) => {
      const embedder = await createOllamaEmbedder({
        url: stage.fake.url,
        model: 'embeddinggemma',
        log: silentLogger,
        tuning: QUICK,
        ...options,
      })
      made.push(embedder)
      return embedder
    },
  } as Stage
  beforeEach(async () => {
    stage.fake = await startFakeOllama(models)
  })
  afterEach(async () => {
    for (const embedder of made.splice(0)) await embedder.close()
    await stage.fake.close()
    stage.fake.assertDone()
  })
  return stage
}

export const inputs = (...texts: string[]): EmbeddingInput[] => texts.map((text) => ({ text, title: null }))

/** True for a call that embeds texts, false for one that warms the model up. */
export const isWork = (body: Record<string, unknown>): boolean => body['input'] !== ''
