import { expect, test } from 'vitest'
import { inputs, onStage } from './ollama-helpers.ts'
import { errorCode } from '../../support/codes.ts'

const stage = onStage()
const OTHER = 'f'.repeat(64)
const changed = { code: errorCode('embedding_model_changed'), message: expect.stringMatching(/docsearch models use/) }

test('other weights under the same name have another fingerprint', async () => {
  const first = await stage.make()
  stage.fake.setDigest('embeddinggemma', OTHER)
  expect((await stage.make()).fingerprint).not.toBe(first.fingerprint)
})

test('refuses a changed model for documents and questions, and health says so', async () => {
  const embedder = await stage.make()
  await embedder.embedDocuments(inputs('one'))
  stage.fake.setDigest('embeddinggemma', OTHER)
  await expect(embedder.embedDocuments(inputs('two'))).rejects.toMatchObject(changed)
  await expect(embedder.embedQuery('two')).rejects.toMatchObject(changed)
  expect(await embedder.check()).toMatchObject({ ok: false, code: errorCode('embedding_model_changed') })
})

test('gives out no vector of a model that changes during the call, however rarely the digest is checked', async () => {
  const embedder = await stage.make({ tuning: { recheckMs: 3_600_000 } })
  await embedder.embedDocuments(inputs('one'))
  const held = stage.fake.hold('/api/embed')
  const work = embedder.embedDocuments(inputs('two'))
  await held.arrived
  stage.fake.setDigest('embeddinggemma', OTHER)
  held.release()
  await expect(work).rejects.toMatchObject(changed)
})

test('notices at the first question that the server came back with another model', async () => {
  const embedder = await stage.make({
    tuning: { recheckMs: 3_600_000, query: { retries: 1, minTimeout: 1, maxTimeout: 1, timeoutMs: 60_000 } },
  })
  await embedder.embedDocuments(inputs('one'))
  await stage.fake.stop()
  await expect(embedder.embedQuery('two')).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  stage.fake.setDigest('embeddinggemma', OTHER)
  await stage.fake.restart()
  await expect(embedder.embedQuery('two')).rejects.toMatchObject(changed)
})

test('uses the former model again once it is back', async () => {
  const embedder = await stage.make()
  const before = embedder.fingerprint.match(/@([^#]+)#/)![1]!
  stage.fake.setDigest('embeddinggemma', OTHER)
  await expect(embedder.embedQuery('one')).rejects.toMatchObject(changed)
  stage.fake.setDigest('embeddinggemma', before)
  expect(await embedder.embedQuery('one')).toHaveLength(768)
})

test('can be created for an existing index while Ollama is away, and works when Ollama is back', async () => {
  const { fingerprint, dimensions, maxTokens } = await stage.make()
  await stage.fake.stop()
  const embedder = await stage.make({ expected: { fingerprint, dimensions } })
  expect(embedder).toMatchObject({ fingerprint, dimensions, maxTokens, name: 'ollama:embeddinggemma' })
  await expect(embedder.embedQuery('one')).rejects.toMatchObject({ code: errorCode('embedder_unavailable') })
  await stage.fake.restart()
  expect(await embedder.embedQuery('one')).toHaveLength(768)
})

test('refuses another model under the name that an existing index was made with', async () => {
  const { fingerprint, dimensions } = await stage.make()
  stage.fake.setDigest('embeddinggemma', OTHER)
  const embedder = await stage.make({ expected: { fingerprint, dimensions } })
  expect(embedder.fingerprint).toBe(fingerprint)
  await expect(embedder.embedDocuments(inputs('one'))).rejects.toMatchObject(changed)
})

test('health says to pull a model that was removed', async () => {
  const embedder = await stage.make()
  stage.fake.setModels([])
  await expect(embedder.embedQuery('one')).rejects.toMatchObject({
    code: errorCode('embedder_unavailable'),
    message: expect.stringMatching(/docsearch models pull embeddinggemma/),
  })
  expect(await embedder.check()).toMatchObject({ ok: false, code: errorCode('embedding_model_missing') })
})
