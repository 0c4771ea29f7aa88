import { expect, test } from 'vitest'
import { makeModel } from '../../support/fake-ollama-model.ts'
import { until } from '../../support/until.ts'
import { inputs, isWork, onStage } from './ollama-helpers.ts'
import { errorCode } from '../../support/codes.ts'

const stage = onStage([
  makeModel('embeddinggemma', { dimensions: 768, contextLength: 2048 }),
  makeModel('nomic-embed-text', { dimensions: 768, contextLength: 8192 }),
  makeModel('all-minilm'),
  makeModel('mystery', { dimensions: 64, contextLength: 300 }),
  makeModel('llama', { capabilities: ['completion'] }),
])

test('sends documents and questions with the prefixes of the model', async () => {
  const gemma = await stage.make()
  await gemma.embedDocuments([{ text: 'Rent is due.', title: 'Lease › Rent' }])
  await gemma.embedDocuments(inputs('Rent is due.'))
  await gemma.embedQuery('when is rent due')
  const nomic = await stage.make({ model: 'nomic-embed-text' })
  await nomic.embedDocuments([{ text: 'Rent is due.', title: 'Lease' }])
  await nomic.embedQuery('when is rent due')
  const mystery = await stage.make({ model: 'mystery' })
  await mystery.embedQuery('when is rent due')
  const sent = stage.fake.embedCalls().flat()
  expect(sent).toContain('title: Lease › Rent | text: Rent is due.')
  expect(sent).toContain('title: none | text: Rent is due.')
  expect(sent).toContain('task: search result | query: when is rent due')
  expect(sent).toContain('search _ document : rent is due .')
  expect(sent).toContain('search _ query : when is rent due')
  expect(sent).toContain('when is rent due')
})

test('every call forbids truncation, keeps the model loaded for a number of seconds, and never loads it twice', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs('one', 'two'))
  await embedder.embedQuery('three')
  const bodies = stage.fake.calls.filter(({ path }) => path === '/api/embed').map(({ body }) => body)
  expect(bodies.some((body) => !isWork(body))).toBe(true)
  for (const body of bodies)
    expect(body).toMatchObject({ truncate: false, keep_alive: expect.any(Number), options: bodies[0]!['options'] })
  expect(stage.fake.loads).toBe(1)
})

test('limits batches in number and in size', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs(...Array.from({ length: 100 }, (_, i) => `passage ${i}`)))
  await embedder.embedDocuments(inputs('x '.repeat(500), 'y'.repeat(62_000), 'z'.repeat(63_000)))
  const sizes = stage.fake.embedCalls().filter((batch) => batch[0] !== '')
  expect(Math.max(...sizes.map((batch) => batch.length))).toBeLessThanOrEqual(32)
  expect(sizes.slice(-2).map((batch) => batch.length)).toEqual([2, 1])
})

test('the token limit is the smallest of the training context, the served context and one batch of Ollama', async () => {
  expect((await stage.make({ model: 'all-minilm' })).maxTokens).toBeLessThanOrEqual(256)
  expect((await stage.make({ model: 'mystery' })).maxTokens).toBeLessThanOrEqual(300)
  const nomic = await stage.make({ model: 'nomic-embed-text' })
  expect(nomic.maxTokens).toBeLessThanOrEqual(2048)
  expect(nomic.maxTokens).toBeGreaterThan(1900)
})

test('gives shorter vectors only for models that were trained to give them', async () => {
  const short = await stage.make({ dimensions: 256 })
  const [vector] = await short.embedDocuments(inputs('text'))
  expect(vector).toHaveLength(256)
  expect(short.fingerprint).not.toBe((await stage.make()).fingerprint)
  await expect(stage.make({ dimensions: 300 })).rejects.toThrow(/768, 512, 256, 128/)
  await expect(stage.make({ model: 'nomic-embed-text', dimensions: 256 })).rejects.toThrow(/cannot produce vectors of 256/)
})

test('refuses a model that cannot embed or is missing, and says what to do', async () => {
  await expect(stage.make({ model: 'llama' })).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/not an embedding model/),
  })
  await expect(stage.make({ model: 'bge-m3' })).rejects.toThrow('Run `docsearch models pull bge-m3`')
})

test('loads the model before the first call', async () => {
  await stage.make()
  await until('the model to be loaded', () => stage.fake.loads === 1)
  const bodies = stage.fake.calls.filter(({ path }) => path === '/api/embed').map(({ body }) => body)
  expect(bodies.map((body) => body['input'])).toEqual([''])
})
