import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { CallQueue } from '../../src/ollama/call-queue.ts'
import { chooseReranker } from '../../src/rerank/choose.ts'
import type { Reranker } from '../../src/rerank/reranker.ts'
import { QWEN3_RERANKER } from '../support/fake-ollama-model.ts'
import { startFakeOllama } from '../support/fake-ollama.ts'
import { startFakeReranker } from '../support/fake-reranker.ts'
import { rerankerConformance } from './reranker.ts'

const TUNING = {
  model: 'some-model',
  key: null,
  deadlineMs: 5_000,
  candidates: 3,
  passageTokens: 512,
  parallel: 1,
  queue: new CallQueue(),
  log: silentLogger,
}

describe('models', () => {
  const servers: { close(): Promise<void> }[] = []
  const chosen = new Map<string, Reranker>()
  const endpoints = ['llama-server', 'vllm', 'tei', 'jina', 'cohere-v1', 'cohere-v2'] as const

  beforeAll(async () => {
    const ollama = await startFakeOllama([QWEN3_RERANKER])
    servers.push(ollama)
    chosen.set('ollama', await chooseReranker({ ...TUNING, setting: 'ollama:qwen3-reranker', ollamaUrl: ollama.url }))
    for (const kind of endpoints) {
      const server = await startFakeReranker(kind)
      servers.push(server)
      chosen.set(kind, await chooseReranker({ ...TUNING, setting: server.url, ollamaUrl: ollama.url }))
    }
  })
  afterAll(async () => {
    for (const one of chosen.values()) one.close()
    for (const server of servers) await server.close()
  })

  for (const kind of ['ollama', ...endpoints]) {
    test(`${kind} is in use`, () => expect(chosen.get(kind)!.state()).toMatchObject({ status: 'ok', code: 'ok' }))
    rerankerConformance(kind, () => chosen.get(kind)!)
  }
})

describe('models that are away', () => {
  let chosen: Reranker
  beforeAll(async () => {
    const gone = await startFakeOllama()
    await gone.close()
    chosen = await chooseReranker({ ...TUNING, setting: 'ollama:qwen3-reranker', ollamaUrl: gone.url })
  })
  afterAll(() => chosen.close())
  rerankerConformance('a model that is away', () => chosen)
})
