import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { RerankerSettings } from '../../../src/rerank/choose.ts'
import type { Reranker } from '../../../src/rerank/reranker.ts'
import { type FakeReranker, type Server, startFakeReranker } from '../../support/fake-reranker.ts'
import { ask, choose, orderOf, PASSAGES } from './helpers.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

async function start(
  kind: Server,
  change: Partial<RerankerSettings> = {},
  options: Parameters<typeof startFakeReranker>[1] = {},
): Promise<{ server: FakeReranker; chosen: Reranker }> {
  const server = await startFakeReranker(kind, options)
  open.push(server)
  return { server, chosen: await take(server.url, change) }
}

async function take(url: string, change: Partial<RerankerSettings> = {}): Promise<Reranker> {
  const retry = { firstMs: 1e9, maxMs: 1e9, unsuitableMs: 1e9 }
  const chosen = await choose(url, 'http://127.0.0.1:9', { retry, ...change })
  open.push(chosen)
  return chosen
}

test.each(['llama-server', 'vllm', 'tei', 'jina', 'cohere-v1', 'cohere-v2'] as const)(
  '%s: found out how to ask, all passages in one call, order by its scores',
  async (kind) => {
    const { server, chosen } = await start(kind, { model: 'm' })
    expect(chosen.state()).toMatchObject({ status: 'ok', model: 'm' })
    server.calls.splice(0)
    const outcome = await ask(chosen)
    expect(outcome).toMatchObject({ applied: true, model: 'm', reason: null })
    expect(orderOf(outcome)[0]).toBe('c2')
    expect(server.calls).toHaveLength(1)
  },
)

test('scores of every server become 0 to 1, and are alike for the same question', async () => {
  const logits = await ask((await start('llama-server')).chosen)
  const shares = await ask((await start('vllm')).chosen)
  expect(orderOf(logits)).toEqual(orderOf(shares))
})

test('logits that happen to lie between 0 and 1 are still logits', async () => {
  const { server, chosen } = await start('llama-server')
  server.answerWith({ scores: (all) => all.map(({ index }) => ({ index, score: index / 10 })) })
  const { scores } = await ask(chosen, ['only this'])
  // Blended three to one with the retrieval score of .9: a logit of 0 is one half.
  expect(scores!.get('c0')).toBeCloseTo(0.75 * 0.9 + 0.25 * 0.5)
})

test('an address without a path means /v1/rerank, or /rerank when only that exists', async () => {
  for (const kind of ['llama-server', 'tei'] as const) {
    const server = await startFakeReranker(kind)
    open.push(server)
    const chosen = await take(server.origin)
    expect(chosen.state()).toMatchObject({ status: 'ok' })
    server.calls.splice(0)
    await ask(chosen)
    expect(server.calls.map(({ path }) => path)).toEqual([kind === 'tei' ? '/rerank' : '/v1/rerank'])
  }
})

test('splits passages that do not fit one call into several calls', async () => {
  const { server, chosen } = await start('tei', { candidates: 100 })
  server.calls.splice(0)
  const texts = Array.from({ length: 70 }, (_, i) => (i === 69 ? 'harbour closed winter' : `passage ${i}`))
  const outcome = await ask(chosen, texts)
  expect(server.calls.map(({ body }) => (body['texts'] as string[]).length)).toEqual([32, 32, 6])
  expect(outcome.reason).toBe(null)
  expect(orderOf(outcome).indexOf('c69')).toBeLessThan(5)
})

test('passages of a batch that is late keep their places', async () => {
  const { server, chosen } = await start('tei', { candidates: 100, deadlineMs: 3_000 })
  server.answerWith({ hang: true, when: (body) => (body['texts'] as string[]).includes('passage 40') })
  const texts = Array.from({ length: 50 }, (_, i) => (i === 5 ? 'harbour closed winter' : `passage ${i}`))
  const outcome = await ask(chosen, texts)
  expect(outcome).toMatchObject({ applied: true, reason: expect.stringMatching(/scored 32 of 50 passages/) })
  expect(orderOf(outcome).slice(32)).toEqual(texts.map((_, i) => `c${i}`).slice(32))
})

test.each<[string, Parameters<FakeReranker['answerWith']>[0], RegExp]>([
  ['an index that no passage has', { scores: (all) => all.map((one) => ({ ...one, index: one.index + 1 })) }, /has index 4 of 4/],
  ['a negative index', { scores: (all) => all.map((one) => ({ ...one, index: -1 })) }, /has index -1/],
  ['an index twice', { scores: (all) => all.map((one) => ({ ...one, index: 0 })) }, /index 0 twice/],
  ['a score that is no number', { scores: (all) => all.map((one) => ({ ...one, score: null })) }, /has neither/],
  ['no score', { scores: () => [] }, /its answer has no score/],
  ['an HTML page', { body: '<html>' }, /has neither/],
  ['another shape', { body: '{"data": []}' }, /has neither/],
  ['a failure', { status: 500, body: '{"error": {"message": "out of memory"}}' }, /failing \(500\): out of memory/],
  ['429', { status: 429, body: '{"message": "slow down"}' }, /\(429\): slow down/],
  ['a refusal', { status: 400, body: '{"detail": "no such model"}' }, /refuses the request \(400\): no such model/],
])('keeps the order and gives the reason when the endpoint answers with %s', async (_what, change, reason) => {
  const { server, chosen } = await start('vllm')
  server.answerWith(change)
  expect(await ask(chosen)).toMatchObject({
    applied: false,
    scores: null,
    model: 'builtin',
    reason: expect.stringMatching(reason),
  })
  expect(chosen.state()).toMatchObject({ status: 'degraded', message: expect.stringMatching(reason) })
})

test('passages that the endpoint leaves out keep their places', async () => {
  const { server, chosen } = await start('vllm')
  server.answerWith({ scores: (all) => all.filter(({ index }) => index !== 0) })
  expect(orderOf(await ask(chosen))).toEqual(['c0', 'c2', 'c1', 'c3'])
})

test('sends the key as a bearer token, and shows it nowhere', async () => {
  const key = 'sk-very-secret'
  const { server, chosen } = await start('jina', { model: 'm', key }, { key })
  expect(server.calls[0]!.headers.authorization).toBe(`Bearer ${key}`)
  server.answerWith({ status: 400, body: JSON.stringify({ message: `your key ${key} is of another project` }) })
  const outcome = await ask(chosen)
  expect(outcome.reason).toContain('your key … is of another project')
  expect(JSON.stringify([outcome, chosen.state()])).not.toContain(key)
})

test('tells a missing key from a wrong one', async () => {
  const { chosen } = await start('jina', { model: 'm' }, { key: 'right' })
  expect(chosen.state().message).toMatch(/\(401\)\. Set DOCSEARCH_RERANK_KEY/)
  const wrong = await start('jina', { model: 'm', key: 'wrong' }, { key: 'right' })
  expect(wrong.chosen.state().message).toMatch(/\(401\)\. Check DOCSEARCH_RERANK_KEY/)
})

test('follows no redirect: neither the key nor the passages go elsewhere', async () => {
  const elsewhere: string[] = []
  const other = createServer((request, response) => {
    elsewhere.push(request.url!)
    response.end('{}')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { server, chosen } = await start('vllm', { key: 'sk-secret' })
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/rerank`
  for (const status of [301, 302, 307, 308]) {
    const again = status === 301 ? chosen : await take(server.url, { key: 'sk-secret' })
    server.answerWith({ status, headers: { location }, body: '' })
    expect(await ask(again)).toMatchObject({
      applied: false,
      reason: expect.stringMatching(/redirect \(30\d\), which docsearch does not follow/),
    })
    server.answerWith(null)
  }
  expect(elsewhere).toEqual([])
})

test('removes control tokens for endpoints too', async () => {
  const { server, chosen } = await start('vllm')
  server.calls.splice(0)
  await ask(chosen, ['a <|im_end|> b', ...PASSAGES])
  expect(JSON.stringify(server.calls[0]!.body)).not.toContain('<|')
})
