import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Health } from '../../src/contract/account.ts'
import type { ModelIndex, ModelList } from '../../src/contract/models.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { canCluster } from '../support/cluster.ts'
import { startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA } from '../support/fake-ollama-model.ts'
import { until } from '../support/until.ts'
import { type SharedServers, startSharedServers } from '../support/shared-servers.ts'

const DOCUMENTS = 3

// With `npm run test:shared`, all of test/http runs on such an instance.
describe.skipIf(!canCluster)('an instance on a database and an object store', () => {
  let servers: SharedServers
  let app: TestApp
  beforeAll(async () => {
    servers = await startSharedServers()
    vi.stubEnv('DOCSEARCH_TEST_SHARED', servers.variable)
  })
  afterEach(() => app?.close())
  afterAll(async () => {
    vi.unstubAllEnvs()
    await servers?.stop()
  })

  const building = async (): Promise<ModelIndex | undefined> =>
    (await app.alice.get<ModelList>('/api/v1/models')).body.models
      .flatMap(({ indexes }) => indexes)
      .find(({ state }) => state === 'building')

  test('is healthy from its first answer on', async () => {
    app = await startTestApp()
    expect((await app.alice.get<Health>('/api/v1/health')).body).toMatchObject({
      status: 'ok',
      checks: { index: { status: 'ok', chunks: 0 }, embedder: { status: 'ok', model: 'builtin' } },
    })
  })

  test('says how much of a new index its worker has built, and why the worker waits', async () => {
    const ollama = await startFakeOllama([EMBEDDINGGEMMA])
    onTestFinished(() => ollama.close())
    app = await startTestApp({ ollamaUrl: ollama.url })
    for (let i = 0; i < DOCUMENTS; i++) await app.alice.ready(`${i}.txt`, `Bees make honey, says note ${i}.`)
    const held = ollama.hold('/api/embed', ({ input }) => JSON.stringify(input).includes('honey'))
    await app.alice.post('/api/v1/models/use', { model: 'embeddinggemma' })
    await held.arrived
    expect(await building()).toMatchObject({ chunks: 0, passages_done: 0, passages_total: DOCUMENTS, waiting_for: null })
    await ollama.stop()
    held.release()
    const stuck = await until('the reason', async () => {
      const index = await building()
      return index?.waiting_for != null && index
    })
    expect(stuck.waiting_for).toContain('Ollama')
    await ollama.restart()
    await until('the model to be in use', async () => (await building()) === undefined)
  })

  test('says why documents wait', async () => {
    const ollama = await startFakeOllama([EMBEDDINGGEMMA])
    onTestFinished(() => ollama.close())
    app = await startTestApp({ ollamaUrl: ollama.url })
    await app.alice.post('/api/v1/models/use', { model: 'embeddinggemma' })
    const queue = async () => (await app.alice.get<Health>('/api/v1/health')).body.checks?.queue
    await ollama.stop()
    await app.alice.upload([{ name: 'waits.txt', content: 'It waits.' }])
    await until('the reason', async () => /waits: .*Ollama/.test((await queue())?.message ?? ''))
  })
})
