import { expect, test } from 'vitest'
import { BreakerOpen } from '../../../src/core/breaker.ts'
import { DeadlinePassed } from '../../../src/core/deadline.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { CallQueue } from '../../../src/ollama/call-queue.ts'
import { EMBEDDINGGEMMA, makeModel } from '../../support/fake-ollama-model.ts'
import { errorCode } from '../../support/codes.ts'
import { until } from '../../support/until.ts'
import { inputs, onStage, QUICK } from './ollama-helpers.ts'

const stage = onStage([EMBEDDINGGEMMA, makeModel('all-minilm')])
/** What the model was asked, without warming up. */
const asked = () =>
  stage.fake
    .embedCalls()
    .flat()
    .filter((text) => text !== '')

const missedDeadline = () => {
  const stop = new AbortController()
  return { signal: stop.signal, pass: () => stop.abort(new DeadlinePassed('late')) }
}

/** Lets a query miss its deadline while the server computes nothing. */
async function freeze(embedder: Embedder): Promise<void> {
  stage.fake.freeze()
  const { signal, pass } = missedDeadline()
  const late = embedder.embedQuery('the first query', signal, 'usr_1')
  await until('the call', () => asked().some((text) => text.endsWith('the first query')))
  pass()
  await expect(late).rejects.toThrow(DeadlinePassed)
}

test('remembers the vectors of queries for each user and each model', async () => {
  const gemma = await stage.make()
  const [first, second] = [await gemma.embedQuery('rent', undefined, 'usr_1'), await gemma.embedQuery('rent', undefined, 'usr_1')]
  expect(second).toEqual(first)
  expect(asked()).toHaveLength(1)
  await gemma.embedQuery('rent', undefined, 'usr_2')
  expect(asked()).toHaveLength(2)
  const minilm = await stage.make({ model: 'all-minilm' })
  expect(await minilm.embedQuery('rent', undefined, 'usr_1')).toHaveLength(384)
  expect(asked()).toHaveLength(3)
})

test('uses a remembered vector only while the server has the model', async () => {
  const embedder = await stage.make()
  await embedder.embedQuery('rent')
  stage.fake.setDigest('embeddinggemma', 'f'.repeat(64))
  await expect(embedder.embedQuery('rent')).rejects.toMatchObject({ code: errorCode('embedding_model_changed') })
  stage.fake.setDigest('embeddinggemma', EMBEDDINGGEMMA.digest)
  await stage.fake.stop()
  await expect(embedder.embedQuery('rent')).rejects.toThrow(/cannot be reached/)
  await stage.fake.restart()
  await embedder.embedQuery('rent')
  expect(asked()).toHaveLength(1)
})

test('remembers no vector of another model under the same name', async () => {
  const embedder = await stage.make()
  await embedder.embedQuery('warm')
  stage.fake.setDigest('embeddinggemma', 'f'.repeat(64))
  await expect(embedder.embedQuery('rent')).rejects.toMatchObject({ code: errorCode('embedding_model_changed') })
  stage.fake.setDigest('embeddinggemma', EMBEDDINGGEMMA.digest)
  const again = await stage.make()
  expect(await embedder.embedQuery('rent')).toEqual(await again.embedQuery('rent'))
})

test('a frozen server does not hold up a remembered query either', async () => {
  const embedder = await stage.make()
  await embedder.embedQuery('rent')
  stage.fake.freeze({ all: true })
  const { signal, pass } = missedDeadline()
  const tags = () => stage.fake.calls.filter(({ path }) => path === '/api/tags').length
  const before = tags()
  const late = embedder.embedQuery('rent', signal)
  await until('the check of the model', () => tags() > before)
  pass()
  await expect(late).rejects.toThrow(DeadlinePassed)
  await expect(embedder.embedQuery('rent')).rejects.toMatchObject({ cause: expect.any(BreakerOpen) })
  stage.fake.thaw()
})

test('does not remember a query that failed', async () => {
  const embedder = await stage.make()
  stage.fake.poison('rent')
  await expect(embedder.embedQuery('rent')).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  stage.fake.drift('embeddinggemma')
  await expect(embedder.embedQuery('rent')).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  expect(asked()).toHaveLength(2)
})

test('asks once for equal queries of a user at the same time, also when one of them gives up', async () => {
  const embedder = await stage.make()
  const held = stage.fake.hold('/api/embed', (body) => body['input'] !== '')
  const giveUp = new AbortController()
  const given = embedder.embedQuery('rent', giveUp.signal, 'usr_1')
  const others = [1, 2, 3].map(() => embedder.embedQuery('rent', undefined, 'usr_1'))
  const stranger = embedder.embedQuery('rent', undefined, 'usr_2')
  await held.arrived
  giveUp.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  held.release()
  expect(new Set(await Promise.all(others)).size).toBe(1)
  await stranger
  expect(asked()).toHaveLength(2)
})

test('stops the call when nobody waits for it any more', async () => {
  const queue = new CallQueue()
  const embedder = await stage.make({ queue })
  await until('the model to be warm', () => queue.state === 'idle')
  const held = stage.fake.hold('/api/embed')
  const giveUp = new AbortController()
  const given = embedder.embedQuery('rent', giveUp.signal)
  await held.arrived
  giveUp.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  await until('the call to end', () => queue.state === 'idle')
  held.release()
})

test('after one missed deadline, queries do not wait, health says why, and one call at a time waits for an answer', async () => {
  const embedder = await stage.make()
  await embedder.embedQuery('warm')
  await freeze(embedder)
  const before = asked().length
  for (const query of ['second', 'third', 'fourth'])
    await expect(embedder.embedQuery(query)).rejects.toMatchObject({
      code: errorCode('embedder_unavailable'),
      cause: expect.any(BreakerOpen),
    })
  expect(asked().length - before).toBeLessThanOrEqual(1)
  expect(await embedder.check()).toMatchObject({
    ok: false,
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/did not answer a query in time.*until it answers again/),
  })
  stage.fake.thaw()
  await until('an answer to the probe', async () => (await embedder.check()).ok)
  expect(await embedder.embedQuery('fifth')).toHaveLength(768)
})

test('an embedded batch lets queries pass again', async () => {
  const embedder = await stage.make({ tuning: { ...QUICK, probeMs: 1e9 } })
  await embedder.embedQuery('warm')
  stage.fake.hold('/api/embed', (body) => body['input'] === 'document')
  await freeze(embedder)
  expect((await embedder.check()).ok).toBe(false)
  stage.fake.thaw()
  await embedder.embedDocuments(inputs('one'))
  expect((await embedder.check()).ok).toBe(true)
})

test('a probe that gets no answer is followed by another', async () => {
  const embedder = await stage.make({ tuning: { ...QUICK, probeMs: 5 } })
  await embedder.embedQuery('warm')
  await freeze(embedder)
  await until('three probes', () => asked().filter((text) => text === 'document').length >= 3)
  stage.fake.thaw()
  await until('an answer to a probe', async () => (await embedder.check()).ok)
})

test('a server that is away is reported at once, and is no reason to stop asking', async () => {
  const embedder = await stage.make()
  await embedder.embedQuery('warm')
  await stage.fake.stop()
  await expect(embedder.embedQuery('one')).rejects.toThrow(/cannot be reached/)
  await stage.fake.restart()
  expect(await embedder.embedQuery('one')).toHaveLength(768)
})

test('a query that misses its deadline behind other queries is not the fault of the server', async () => {
  const embedder = await stage.make()
  await embedder.embedQuery('warm')
  stage.fake.freeze()
  const first = Array.from({ length: 20 }, (_, i) => embedder.embedQuery(`first ${i}`, undefined, 'usr_1'))
  await until('some calls', () => asked().some((text) => text.endsWith('first 0')))
  const { signal, pass } = missedDeadline()
  const late = embedder.embedQuery('late', signal, 'usr_2')
  pass()
  await expect(late).rejects.toThrow(DeadlinePassed)
  expect((await embedder.check()).ok).toBe(true)
  stage.fake.thaw()
  await Promise.all(first)
})

test('a batch waits while queries of another model on the same server are open', async () => {
  const queue = new CallQueue()
  const gemma = await stage.make({ queue })
  const minilm = await stage.make({ queue, model: 'all-minilm' })
  await until('the models to be warm', () => queue.state === 'idle' && stage.fake.loads === 2)
  stage.fake.freeze()
  const query = gemma.embedQuery('a query')
  await until('the query', () => asked().length === 1)
  const batch = minilm.embedDocuments(inputs('a passage'))
  const second = gemma.embedQuery('another query')
  await until('the second query', () => asked().length === 2)
  stage.fake.thaw()
  await Promise.all([query, second, batch])
  expect(asked().at(-1)).toBe('a passage')
})

test('after a slow batch, calls have less text', async () => {
  const embedder = await stage.make()
  expect(embedder.batchLimits.tokens).toBeLessThanOrEqual(256)
  stage.fake.speed(20)
  await embedder.embedDocuments(inputs('a passage of some words that takes a second or so on this very slow old machine'))
  expect(embedder.batchLimits.tokens).toBeLessThan(64 + 1)
})

test('a question longer than the model can read is embedded in parts, and each counts', async () => {
  const minilm = await stage.make({ model: 'all-minilm' })
  const [rent, whale] = ['rent is due ', 'whales sing '].map((words) => words.repeat(150))
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
  const both = await minilm.embedQuery(`${rent}${whale}`)
  expect(dot(both, both)).toBeCloseTo(1, 4)
  for (const one of ['rent is due', 'whales sing']) expect(dot(both, await minilm.embedQuery(one))).toBeGreaterThan(0.5)
  for (const batch of stage.fake.embedCalls()) for (const text of batch) expect(text.split(' ').length).toBeLessThanOrEqual(256)
})
