import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RerankerSettings } from '../../../src/rerank/choose.ts'
import type { Reranker } from '../../../src/rerank/reranker.ts'
import { CallQueue } from '../../../src/ollama/call-queue.ts'
import { QWEN3_RERANKER } from '../../support/fake-ollama-model.ts'
import { type FakeOllama, startFakeOllama } from '../../support/fake-ollama.ts'
import { ask, choose, orderOf } from './helpers.ts'

let fake: FakeOllama
const open: Reranker[] = []
beforeEach(async () => {
  fake = await startFakeOllama([QWEN3_RERANKER])
})
afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await fake.close()
})

/** No test of the model runs again, so that the counted calls are those of the searches. */
const NEVER = { firstMs: 1e9, maxMs: 1e9, unsuitableMs: 1e9 }
async function start(change: Partial<RerankerSettings> = {}): Promise<Reranker> {
  const chosen = await choose('ollama:qwen3-reranker', fake.url, { retry: NEVER, ...change })
  open.push(chosen)
  fake.calls.splice(0)
  return chosen
}
const prompts = (): string[] => fake.calls.map(({ body }) => String(body['prompt']))

test('scores one passage a call, one after another, with the same options', async () => {
  const outcome = await ask(await start())
  expect(outcome).toMatchObject({ applied: true, model: 'ollama:qwen3-reranker', reason: null })
  expect(orderOf(outcome)[0]).toBe('c2')
  expect(fake.calls).toHaveLength(4)
  expect(fake.calls[0]!.body).toMatchObject({
    raw: true,
    stream: false,
    logprobs: true,
    top_logprobs: 20,
    options: { temperature: 0, num_predict: 1, num_ctx: 4096 },
  })
  expect(fake.loads).toBe(1)
})

test('shows the model the best candidates only, each cut; the others stay behind', async () => {
  const chosen = await start({ candidates: 2, passageTokens: 40 })
  const outcome = await ask(chosen, ['a '.repeat(4000), 'b', 'The harbour is closed in winter.'])
  expect(prompts()).toHaveLength(2)
  expect(prompts()[0]!.length).toBeLessThan(800)
  expect(orderOf(outcome)).toEqual(['c0', 'c1', 'c2'])
  expect(outcome.reason).toBe(null)
})

test('a long question leaves room for the passage', async () => {
  await ask(await start(), ['The harbour.'], { query: '海'.repeat(4000) })
  expect(prompts()[0]!.length).toBeLessThan(2000)
  expect(prompts()[0]).toContain('<Document>: The harbour.<|im_end|>')
})

test('scores as many passages at a time as `parallel` says, and the first failure ends all calls', async () => {
  const chosen = await start({ parallel: 3 })
  const holds = [1, 2, 3].map(() => fake.hold('/api/generate'))
  const outcome = ask(chosen)
  await Promise.all(holds.map(({ arrived }) => arrived))
  expect(fake.calls).toHaveLength(3)
  fake.fail({ path: '/api/generate', status: 503, error: 'server busy' })
  for (const { release } of holds) release()
  expect(await outcome).toMatchObject({ applied: false, reason: expect.stringMatching(/overloaded or failing: server busy/) })
  fake.assertDone()
})

test('a model that other searches keep busy is not set aside', async () => {
  const queue = new CallQueue()
  const chosen = await start({ queue, deadlineMs: 2_000 })
  const done = Promise.withResolvers<void>()
  const { signal } = new AbortController()
  const others = [1, 2].map(() => queue.run({ kind: 'rerank', user: 'usr_2', signal }, () => done.promise))
  const outcome = await ask(chosen)
  expect(outcome).toMatchObject({ model: 'builtin', scores: null, reason: expect.stringMatching(/was busy with other searches/) })
  done.resolve()
  await Promise.all(others)
  expect(await ask(chosen)).toMatchObject({ applied: true, model: 'ollama:qwen3-reranker', reason: null })
})

test('passages without a score at the deadline keep their places', async () => {
  const chosen = await start({ deadlineMs: 3_000 })
  fake.fail({ path: '/api/generate', kind: 'hang', when: (body) => String(body['prompt']).includes('Winter coats') })
  const outcome = await ask(chosen, ['Boats.', 'The harbour is closed.', 'Winter coats.', 'harbour closed winter'])
  expect(outcome).toMatchObject({ applied: true, reason: expect.stringMatching(/scored 2 of 4 passages within 3 s/) })
  expect(orderOf(outcome)).toEqual(['c1', 'c0', 'c2', 'c3'])
  fake.assertDone()
})

test.each([
  ['is overloaded', { status: 503, error: 'server busy, please try again' }, /overloaded/],
  [
    'has lost the model',
    { status: 404, error: "model 'qwen3-reranker' not found" },
    /not installed. Run `docsearch models pull qwen3-reranker`/,
  ],
  ['cuts the connection', { kind: 'reset' }, /cannot be reached/],
] as const)('keeps the order, gives the reason and asks no more when Ollama %s', async (_what, fault, reason) => {
  const chosen = await start()
  fake.fail({ path: '/api/generate', ...fault })
  expect(await ask(chosen)).toMatchObject({
    applied: false,
    scores: null,
    model: 'builtin',
    reason: expect.stringMatching(reason),
  })
  const calls = fake.calls.length
  expect(await ask(chosen)).toMatchObject({ applied: false, reason: expect.stringMatching(reason) })
  expect(fake.calls).toHaveLength(calls)
  expect(chosen.state()).toMatchObject({ status: 'degraded', code: 'reranker_unavailable', model: 'builtin' })
  fake.assertDone()
})

test.each([
  ['positive', /as a log-probability/],
  ['null', /not in Ollama's format/],
  ['text', /not in Ollama's format/],
  ['none', /0\.12\.11/],
] as const)('keeps the order and gives the reason when log-probabilities turn %s', async (logprobs, reason) => {
  const chosen = await start()
  fake.setModels([{ ...QWEN3_RERANKER, logprobs }])
  expect(await ask(chosen)).toMatchObject({ applied: false, scores: null, reason: expect.stringMatching(reason) })
  expect(chosen.state()).toMatchObject({ status: 'degraded', code: 'reranker_unsuitable' })
})

test('a passage that the model refuses keeps its place, the others get scores', async () => {
  const chosen = await start()
  fake.fail({ path: '/api/generate', status: 400, error: 'bad input', when: (body) => String(body['prompt']).includes('office') })
  const outcome = await ask(chosen)
  expect(outcome).toMatchObject({ applied: true, reason: expect.stringMatching(/scored 3 of 4/) })
  expect(orderOf(outcome)).toEqual(['c2', 'c1', 'c0', 'c3'])
  fake.assertDone()
})

test('a cancelled search ends the calls, and does not count as a failure of the model', async () => {
  const chosen = await start()
  const hold = fake.hold('/api/generate')
  const controller = new AbortController()
  const outcome = ask(chosen, undefined, { signal: controller.signal })
  await hold.arrived
  controller.abort()
  expect(await outcome).toMatchObject({ applied: false, scores: null })
  hold.release()
  expect(fake.calls).toHaveLength(1)
  expect(chosen.state().status).toBe('ok')
})

test('the model reads the best passages of the built-in order, which stays if the model is unavailable', async () => {
  const texts = ['Winter coats.', 'Boats leave at noon.', 'The harbour is closed in winter.']
  const chosen = await start({ candidates: 1 })
  const before = { applied: true, reason: null }
  await ask(chosen, texts, { before })
  expect(prompts()).toEqual([expect.stringContaining('Winter coats.')])
  await fake.stop()
  const outcome = await ask(chosen, texts, { before, query: 'other coats' })
  expect(outcome).toMatchObject({
    applied: true,
    model: 'builtin',
    scores: null,
    reason: expect.stringMatching(/cannot be reached/),
  })
})
