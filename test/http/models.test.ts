import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Health } from '../../src/contract/account.ts'
import type { ModelList, ModelPullLine, ModelTest, ModelUsed } from '../../src/contract/models.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA, makeModel } from '../support/fake-ollama-model.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

const CHAT_MODEL = makeModel('chatty', { capabilities: ['completion'] })

let ollama: FakeOllama
let app: TestApp
beforeEach(async () => {
  ollama = await startFakeOllama([EMBEDDINGGEMMA, makeModel('unheard-of', { dimensions: 64 }), CHAT_MODEL])
  app = await startTestApp({ ollamaUrl: ollama.url })
})
afterEach(async () => {
  await app?.close()
  await ollama?.close()
})

const listModels = async () => (await app.alice.get<ModelList>('/api/v1/models')).body
const useModel = (model: string) => app.alice.post<ModelUsed>('/api/v1/models/use', { model })
const removeIndex = (model: string) => app.alice.call('DELETE', `/api/v1/models/${encodeURIComponent(model)}`)
const waitUntilInUse = (name: string) =>
  until(`${name} in use`, async () => (await listModels()).models.some((model) => model.name === name && model.in_use))

/** Starts a download. `signal` cancels it. */
async function pull(model: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${app.url}/api/v1/models/pull`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.alice.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model }),
    signal: signal ?? null,
  })
}
const linesOf = async (response: Response) =>
  (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ModelPullLine)

test('lists the built-in model and the embedding models on Ollama, with the index in use', async () => {
  const { models, ollama: server } = await listModels()
  expect(server.ok).toBe(true)
  expect(
    models.map(({ name, in_use, known, dimensions, available }) => ({ name, in_use, known, dimensions, available })),
  ).toEqual([
    { name: 'builtin', in_use: true, known: true, dimensions: 1024, available: true },
    { name: 'ollama:embeddinggemma', in_use: false, known: true, dimensions: 768, available: true },
    { name: 'ollama:unheard-of', in_use: false, known: false, dimensions: 64, available: true },
  ])
  expect(models[0]!.indexes).toMatchObject([{ state: 'in_use', chunks: 0, documents_total: null }])
  expect(models[1]).toMatchObject({ size_bytes: 621_875_917, indexes: [] })
  await ollama.stop()
  const without = await listModels()
  expect(without.models.map(({ name }) => name)).toEqual(['builtin'])
  expect(without.ollama).toMatchObject({ ok: false, message: expect.stringContaining('nothing listens') })
})

test('use is 202 while the new index is built and the old one answers searches, and 200 for an index that exists', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  const held = ollama.hold('/api/embed', ({ input }) => JSON.stringify(input).includes('honey'))
  const asked = await useModel('embeddinggemma')
  expect([asked.status, asked.body]).toEqual([
    202,
    { model: 'ollama:embeddinggemma', state: 'building', documents_done: 0, documents_total: 1, notice: null },
  ])
  const search = async () => (await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'honey' })).body
  expect(await search()).toMatchObject({ embedding_model: 'builtin', results: [{ document: { name: 'bees.txt' } }] })
  const building = (await listModels()).models.find(({ name }) => name === 'ollama:embeddinggemma')!
  expect(building.indexes).toMatchObject([{ state: 'building', documents_done: 0, documents_total: 1, waiting_for: null }])
  expect((await app.alice.get<Health>('/api/v1/health')).body.checks?.index).toMatchObject({
    status: 'ok',
    building: { model: 'ollama:embeddinggemma', documents_done: 0, documents_total: 1 },
  })
  held.release()
  await waitUntilInUse('ollama:embeddinggemma')
  expect(await search()).toMatchObject({
    embedding_model: 'ollama:embeddinggemma',
    results: [{ document: { name: 'bees.txt' } }],
  })
  expect((await listModels()).models.map(({ name, indexes }) => [name, indexes[0]?.state])).toEqual([
    ['ollama:embeddinggemma', 'in_use'],
    ['builtin', 'kept'],
    ['ollama:unheard-of', undefined],
  ])
  expect((await useModel('ollama:embeddinggemma:latest')).status).toBe(200)
  expect(await useModel('builtin')).toMatchObject({ status: 200, body: { state: 'in_use' } })
  expect(await search()).toMatchObject({ embedding_model: 'builtin' })
})

test('remove deletes a retired or building index, and refuses the active index and a missing one', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  await useModel('embeddinggemma')
  await waitUntilInUse('ollama:embeddinggemma')
  expect(await removeIndex('embeddinggemma')).toMatchObject({ status: 409, body: { code: errorCode('model_in_use') } })
  expect((await removeIndex('builtin')).status).toBe(204)
  expect(await removeIndex('builtin')).toMatchObject({ status: 404, body: { code: errorCode('index_not_found') } })
  const held = ollama.hold('/api/embed', ({ model, input }) => model === 'unheard-of' && JSON.stringify(input).includes('honey'))
  expect((await useModel('unheard-of')).status).toBe(202)
  expect((await removeIndex('unheard-of')).status).toBe(204)
  held.release()
  expect((await listModels()).models.flatMap(({ indexes }) => indexes.map(({ state }) => state))).toEqual(['in_use'])
})

test('use refuses an unusable model with the reason', async () => {
  expect(await useModel('absent')).toMatchObject({
    status: 422,
    body: { code: errorCode('model_unusable'), detail: /pull absent/ },
  })
  expect(await useModel('chatty')).toMatchObject({
    status: 422,
    body: { code: errorCode('model_unusable'), detail: /completion/ },
  })
  expect(await useModel('two words')).toMatchObject({ status: 400, body: { code: errorCode('invalid_request') } })
})

test('tests a model without changing anything, and refuses an unusable one with the reason', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  const before = await listModels()
  const tested = await app.alice.post<ModelTest>('/api/v1/models/test', { model: 'unheard-of' })
  expect(tested).toMatchObject({ status: 200, body: { model: 'ollama:unheard-of', known: false, dimensions: 64 } })
  expect(tested.body.checks.map(({ check }) => check)).toEqual(['repeats', 'meaning', 'languages', 'accents', 'length'])
  expect(tested.body.tokens_per_second).toBeGreaterThan(0)
  expect(tested.body.seconds_for_all).toBeGreaterThan(0)
  expect(await listModels()).toEqual(before)
  for (const [model, detail] of [
    ['absent', /pull absent/],
    ['chatty', /completion/],
  ] as const)
    expect(await app.alice.post('/api/v1/models/test', { model })).toMatchObject({
      status: 422,
      body: { code: errorCode('model_unusable'), detail },
    })
})

test('the progress of an index counts passages from the first batch on', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  const held = ollama.hold('/api/embed', ({ model, input }) => model === 'unheard-of' && JSON.stringify(input).includes('honey'))
  expect((await useModel('unheard-of')).status).toBe(202)
  const building = (await listModels()).models.flatMap(({ indexes }) => indexes).find(({ state }) => state === 'building')
  expect(building).toMatchObject({ passages_total: 1, documents_total: 1, seconds_left: null })
  held.release()
})

test('pull reports growing progress over all layers, ends with success, and the model is in the list', async () => {
  ollama.pulls({ layers: [800, 200], steps: 2 }, makeModel('fresh'))
  const response = await pull('ollama:fresh')
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  const lines = await linesOf(response)
  expect(lines.map(({ completed_bytes: done, total_bytes: total }) => [done, total])).toEqual([
    [null, null],
    [0, 800],
    [400, 800],
    [800, 800],
    [800, 1000],
    [900, 1000],
    [1000, 1000],
    [1000, 1000],
    [1000, 1000],
    [1000, 1000],
  ])
  expect(lines.at(-1)!.status).toBe('success')
  expect(ollama.calls.find(({ path }) => path === '/api/pull')!.body).toMatchObject({ model: 'fresh' })
  expect((await listModels()).models.map(({ name }) => name)).toContain('ollama:fresh')
})

test('a pull that fails during the download ends with an error line, and one that cannot start is refused', async () => {
  ollama.pulls({ layers: [10], error: 'max retries exceeded: unexpected EOF' })
  const lines = await linesOf(await pull('fresh'))
  expect(lines.at(-1)).toMatchObject({
    status: 'error',
    error: { code: errorCode('pull_failed'), message: expect.stringContaining('max retries exceeded') },
  })
  ollama.fail({ path: '/api/pull', body: '{"error":"pull model manifest: file does not exist"}\n' })
  const refused = await pull('misspelled')
  expect([refused.status, await refused.json()]).toMatchObject([
    404,
    { code: errorCode('model_not_found'), detail: /has no model misspelled to download/ },
  ])
  ollama.fail({ path: '/api/pull', status: 400, error: 'invalid model name' })
  expect((await pull('a:b:c')).status).toBe(422)
  await ollama.stop()
  const down = await pull('fresh')
  expect([down.status, await down.json()]).toMatchObject([422, { detail: /nothing listens/ }])
})

test('a pull that ends without success is an error, and hanging up cancels the download', async () => {
  ollama.fail({ path: '/api/pull', body: '{"status":"pulling manifest"}\n{"status":"pulling","digest":"sha256:a","total":9}\n' })
  expect((await linesOf(await pull('fresh'))).at(-1)).toMatchObject({
    status: 'error',
    error: { code: errorCode('pull_failed') },
  })
  ollama.pulls({ layers: [1000], stopsAfter: 3 })
  const cancel = new AbortController()
  const response = await pull('fresh', cancel.signal)
  await response.body!.getReader().read()
  cancel.abort()
  await until('docsearch to close its connection to Ollama', () => ollama.hungUp === 1)
})
