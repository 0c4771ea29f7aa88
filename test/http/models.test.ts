import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Health } from '../../src/contract/account.ts'
import type { ModelList, ModelPullLine, ModelUsed } from '../../src/contract/models.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA, makeModel } from '../support/fake-ollama-model.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

const TALKER = makeModel('talker', { capabilities: ['completion'] })

let ollama: FakeOllama
let app: TestApp
beforeEach(async () => {
  ollama = await startFakeOllama([EMBEDDINGGEMMA, makeModel('unheard-of', { dimensions: 64 }), TALKER])
  app = await startTestApp({ ollamaUrl: ollama.url })
})
afterEach(async () => {
  await app?.close()
  await ollama?.close()
})

const list = async () => (await app.alice.get<ModelList>('/api/v1/models')).body
const use = (model: string) => app.alice.post<ModelUsed>('/api/v1/models/use', { model })
const remove = (model: string) => app.alice.call('DELETE', `/api/v1/models/${encodeURIComponent(model)}`)
const inUse = (name: string) =>
  until(`${name} in use`, async () => (await list()).models.some((model) => model.name === name && model.in_use))

/** A download from its first byte to its last. */
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

test('the list has what can embed: built in and on Ollama, known or not, and the index in use', async () => {
  const { models, ollama: server } = await list()
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
  const without = await list()
  expect(without.models.map(({ name }) => name)).toEqual(['builtin'])
  expect(without.ollama).toMatchObject({ ok: false, message: expect.stringContaining('nothing listens') })
})

test('use: 202 with progress while it is built, searches answered by the former; 200 when it is there, and back', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  const held = ollama.hold('/api/embed', ({ input }) => JSON.stringify(input).includes('honey'))
  const asked = await use('embeddinggemma')
  expect([asked.status, asked.body]).toEqual([
    202,
    { model: 'ollama:embeddinggemma', state: 'building', documents_done: 0, documents_total: 1, notice: null },
  ])
  const search = async () => (await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'honey' })).body
  expect(await search()).toMatchObject({ embedding_model: 'builtin', results: [{ document: { name: 'bees.txt' } }] })
  const building = (await list()).models.find(({ name }) => name === 'ollama:embeddinggemma')!
  expect(building.indexes).toMatchObject([{ state: 'building', documents_done: 0, documents_total: 1, waiting_for: null }])
  expect((await app.alice.get<Health>('/api/v1/health')).body.checks?.index).toMatchObject({
    status: 'ok',
    building: { model: 'ollama:embeddinggemma', documents_done: 0, documents_total: 1 },
  })
  held.release()
  await inUse('ollama:embeddinggemma')
  expect(await search()).toMatchObject({
    embedding_model: 'ollama:embeddinggemma',
    results: [{ document: { name: 'bees.txt' } }],
  })
  expect((await list()).models.map(({ name, indexes }) => [name, indexes[0]?.state])).toEqual([
    ['ollama:embeddinggemma', 'in_use'],
    ['builtin', 'kept'],
    ['ollama:unheard-of', undefined],
  ])
  expect((await use('ollama:embeddinggemma:latest')).status).toBe(200)
  expect(await use('builtin')).toMatchObject({ status: 200, body: { state: 'in_use' } })
  expect(await search()).toMatchObject({ embedding_model: 'builtin' })
})

test('remove: what is kept, what is being built; not what is in use, not what is not there', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  await use('embeddinggemma')
  await inUse('ollama:embeddinggemma')
  expect(await remove('embeddinggemma')).toMatchObject({ status: 409, body: { code: errorCode('model_in_use') } })
  expect((await remove('builtin')).status).toBe(204)
  expect(await remove('builtin')).toMatchObject({ status: 404, body: { code: errorCode('index_not_found') } })
  const held = ollama.hold('/api/embed', ({ model, input }) => model === 'unheard-of' && JSON.stringify(input).includes('honey'))
  expect((await use('unheard-of')).status).toBe(202)
  expect((await remove('unheard-of')).status).toBe(204)
  held.release()
  expect((await list()).models.flatMap(({ indexes }) => indexes.map(({ state }) => state))).toEqual(['in_use'])
})

test('a model that cannot be used is refused with the reason', async () => {
  expect(await use('absent')).toMatchObject({ status: 422, body: { code: errorCode('model_unusable'), detail: /pull absent/ } })
  expect(await use('talker')).toMatchObject({ status: 422, body: { code: errorCode('model_unusable'), detail: /completion/ } })
  expect(await use('two words')).toMatchObject({ status: 400, body: { code: errorCode('invalid_request') } })
})

test('pull: the whole of all layers, never going back, ends with success; then the model is in the list', async () => {
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
  expect((await list()).models.map(({ name }) => name)).toContain('ollama:fresh')
})

test('pull: an error line after a good status is an error; one before any progress, and no Ollama, are refusals', async () => {
  ollama.pulls({ layers: [10], error: 'max retries exceeded: unexpected EOF' })
  const lines = await linesOf(await pull('fresh'))
  expect(lines.at(-1)).toMatchObject({
    status: 'error',
    error: { code: errorCode('pull_failed'), message: expect.stringContaining('max retries exceeded') },
  })
  ollama.fail({ path: '/api/pull', body: '{"error":"pull model manifest: file does not exist"}\n' })
  const refused = await pull('misspelt')
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { code: errorCode('pull_failed'), detail: /has no model misspelt to download/ },
  ])
  ollama.fail({ path: '/api/pull', status: 400, error: 'invalid model name' })
  expect((await pull('a:b:c')).status).toBe(422)
  await ollama.stop()
  const down = await pull('fresh')
  expect([down.status, await down.json()]).toMatchObject([422, { detail: /nothing listens/ }])
})

test('pull: a download that ends without success is an error; hanging up ends it', async () => {
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
  await until('Ollama to be hung up on', () => ollama.hungUp === 1)
})
