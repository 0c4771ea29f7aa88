import { afterAll, describe, expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { createOllamaEmbedder } from '../../src/embed/ollama.ts'
import { CallQueue } from '../../src/ollama/call-queue.ts'
import { chooseReranker } from '../../src/rerank/choose.ts'
import type { Reranker } from '../../src/rerank/reranker.ts'
import { embedderConformance } from '../conformance/embedder.ts'
import { rerankerConformance } from '../conformance/reranker.ts'
import { realOllama } from './real-ollama.ts'

const ollama = await realOllama()
const { url = '', embedders = [], rerankers = [] } = ollama ?? {}

if (ollama === null) test.skip('embedders and rerankers on a real Ollama: OLLAMA_HOST names none')

for (const model of embedders) {
  embedderConformance(`ollama:${model}`, async () => {
    const make = () => createOllamaEmbedder({ url, model, log: silentLogger })
    return {
      embedder: await make(),
      again: make,
      // No embedding model reads this much, and docsearch forbids Ollama to cut it.
      unembeddable: 'word '.repeat(40_000),
      close: async () => {},
    }
  })
}

for (const model of rerankers) {
  describe(model, async () => {
    const chosen: Reranker = await chooseReranker({
      setting: `ollama:${model}`,
      ollamaUrl: url,
      model: null,
      key: null,
      // Time for a processor without an accelerator.
      deadlineMs: 120_000,
      startMs: 240_000,
      candidates: 4,
      passageTokens: 512,
      parallel: 1,
      queue: new CallQueue(),
      log: silentLogger,
    })
    afterAll(() => chosen.close())
    test('is in use', () => expect(chosen.state()).toMatchObject({ status: 'ok', code: 'ok' }))
    rerankerConformance(`ollama:${model}`, () => chosen)
  })
}
