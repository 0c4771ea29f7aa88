import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RerankerSettings } from '../../../src/rerank/choose.ts'
import type { Reranker } from '../../../src/rerank/reranker.ts'
import { EMBEDDINGGEMMA, makeModel, QWEN3_RERANKER } from '../../support/fake-ollama-model.ts'
import { type FakeOllama, startFakeOllama } from '../../support/fake-ollama.ts'
import { startFakeReranker } from '../../support/fake-reranker.ts'
import { until } from '../../support/until.ts'
import { ask, choose, orderOf } from './helpers.ts'

let fake: FakeOllama
const open: { close(): unknown }[] = []
beforeEach(async () => {
  fake = await startFakeOllama([EMBEDDINGGEMMA, QWEN3_RERANKER])
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  await fake.close()
})

async function take(setting: string, change: Partial<RerankerSettings> = {}): Promise<Reranker> {
  const chosen = await choose(setting, fake.url, change)
  open.push(chosen)
  return chosen
}

test('auto uses a reranker on Ollama that passes its test, and says so', async () => {
  const chosen = await take('auto')
  expect(chosen.state()).toMatchObject({
    model: 'ollama:qwen3-reranker',
    message: expect.stringMatching(/has this model, and it passed/),
  })
  expect(await ask(chosen)).toMatchObject({ applied: true, model: 'ollama:qwen3-reranker' })
})

test('auto prefers the family that the prompt was written for, and skips models that fail the test', async () => {
  const chat = makeModel('a-reranker', { capabilities: ['completion'], reading: 'indifferent' })
  const pooling = makeModel('bge-reranker-v2-m3', { capabilities: ['embedding'] })
  const other = makeModel('other/Qwen3-Reranker:0.6b', { capabilities: ['completion'] })
  fake.setModels([chat, pooling, other])
  expect((await take('auto')).model).toBe('ollama:other/Qwen3-Reranker:0.6b')
  fake.setModels([pooling, chat, makeModel('my-rerank', { capabilities: ['completion'] })])
  expect((await take('auto')).model).toBe('ollama:my-rerank')
})

test.each([
  ['no reranker', () => fake.setModels([EMBEDDINGGEMMA, makeModel('llama3', { capabilities: ['completion'] })])],
  ['no Ollama', async () => await fake.stop()],
  ['another server at its address', () => fake.fail({ path: '/api/tags', body: '<html>', times: 100 })],
])('auto with %s uses no model, and status is ok', async (_what, change) => {
  await Promise.resolve(change())
  const chosen = await take('auto')
  expect(chosen.state()).toMatchObject({
    status: 'ok',
    code: 'ok',
    message: expect.stringMatching(/No reranker found: Ollama at .* has none/),
  })
  expect(await ask(chosen)).toMatchObject({ model: 'builtin' })
})

test('auto does not use a model that only has the name of a reranker, and health says so', async () => {
  fake.setModels([{ ...QWEN3_RERANKER, reading: 'indifferent' }])
  const chosen = await take('auto')
  expect(chosen.state()).toMatchObject({
    code: 'reranker_unsuitable',
    message: expect.stringMatching(/cannot tell a plain answer/),
  })
  expect(await ask(chosen)).toMatchObject({ model: 'builtin', reason: expect.stringMatching(/cannot tell a plain answer/) })
})

test.each([
  ['says the same to everything', { reading: 'indifferent' }, /cannot tell a plain answer \(0.50\) from .* \(0.50\)/],
  ['prefers wrong answers', { reading: 'contrary' }, /cannot tell/],
  ['does not generate', { capabilities: ['embedding'] }, /its capabilities on Ollama are embedding/],
  ['gives no log-probabilities', { logprobs: 'none' }, /need Ollama 0\.12\.11 or later/],
  ['gives positive log-probabilities', { logprobs: 'positive' }, /as a log-probability/],
] as const)('does not use a model that is set by name but %s, and health says so', async (_what, change, message) => {
  fake.setModels([
    { ...QWEN3_RERANKER, ...change, capabilities: [...('capabilities' in change ? change.capabilities : ['completion'])] },
  ])
  const chosen = await take('ollama:qwen3-reranker')
  expect(chosen.state()).toMatchObject({
    status: 'degraded',
    code: 'reranker_unsuitable',
    message: expect.stringMatching(message),
    model: 'builtin',
  })
  expect(await ask(chosen)).toMatchObject({ applied: false, model: 'builtin', reason: expect.stringMatching(message) })
})

test('does not use a model that is too slow for a search', async () => {
  fake.delay('/api/generate', 100)
  const chosen = await take('ollama:qwen3-reranker', { deadlineMs: 50 })
  expect(chosen.state()).toMatchObject({
    status: 'degraded',
    message: expect.stringMatching(/did not score two short texts within 0.05 s/),
  })
})

test('uses the model once Ollama is back and the model is installed', async () => {
  await fake.stop()
  const chosen = await take('ollama:qwen3-reranker')
  expect(chosen.state()).toMatchObject({ status: 'degraded', code: 'reranker_unavailable' })
  fake.setModels([EMBEDDINGGEMMA])
  await fake.restart()
  await until('it knows that the model is missing', () => chosen.state().message.includes('docsearch models pull qwen3-reranker'))
  fake.setModels([QWEN3_RERANKER])
  await until('the model is taken', () => chosen.state().status === 'ok')
  expect(orderOf(await ask(chosen))[0]).toBe('c2')
})

test('uses a model that failed a search again after its test', async () => {
  const chosen = await take('ollama:qwen3-reranker')
  fake.fail({ path: '/api/generate', status: 503, error: 'busy' })
  expect(await ask(chosen)).toMatchObject({ applied: false })
  await until('it is taken again', () => chosen.state().status === 'ok')
  expect(await ask(chosen)).toMatchObject({ applied: true })
})

test('the start does not wait while a model is loaded; the model is used once it is ready', async () => {
  const hold = fake.hold('/api/generate')
  const chosen = await take('ollama:qwen3-reranker', { startMs: 1 })
  expect(chosen.state()).toMatchObject({ status: 'ok', code: 'reranker_testing' })
  expect(await ask(chosen)).toMatchObject({ applied: false, reason: expect.stringMatching(/being tested/) })
  await hold.arrived
  hold.release()
  await until('it is taken', () => chosen.state().code === 'ok')
})

test('none and builtin make no calls', async () => {
  for (const setting of ['none', 'builtin']) expect((await take(setting)).state()).toMatchObject({ status: 'ok' })
  expect(await ask(await take('none'))).toMatchObject({ applied: false, reason: 'Reranking is turned off.' })
  expect(fake.calls).toEqual([])
})

test('an endpoint that prefers wrong answers fails the test', async () => {
  const server = await startFakeReranker('vllm', { reading: 'contrary' })
  open.push(server)
  expect((await take(server.url)).state()).toMatchObject({ status: 'degraded', code: 'reranker_unsuitable' })
})

test('does not test the model again after close', async () => {
  await fake.stop()
  const chosen = await choose('ollama:qwen3-reranker', fake.url)
  chosen.close()
  await fake.restart()
  const other = await take('ollama:qwen3-reranker')
  expect(other.state().status).toBe('ok')
  expect(chosen.state().status).toBe('degraded')
})
