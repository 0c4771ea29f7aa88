import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { chooseEmbedder } from '../../../src/embed/choose.ts'
import type { Choice } from '../../../src/embed/choose.ts'
import { EMBEDDINGGEMMA, makeModel } from '../../support/fake-ollama-model.ts'
import { startFakeOllama } from '../../support/fake-ollama.ts'
import type { FakeOllama } from '../../support/fake-ollama.ts'

let fake: FakeOllama
const made: Choice[] = []
beforeEach(async () => {
  fake = await startFakeOllama()
})
afterEach(async () => {
  for (const { embedder } of made.splice(0)) await embedder?.close()
  await fake.close()
  fake.assertDone()
})

async function choose(
  setting: string,
  existing: { embeddingModel: string; fingerprint: string } | null = null,
): Promise<{ name: string | null; reason: string }> {
  const choice = await chooseEmbedder({ setting, ollamaUrl: fake.url, existing, log: silentLogger })
  made.push(choice)
  return { name: choice.embedder?.name ?? null, reason: choice.reason }
}
const indexOf = async (setting: string): Promise<{ embeddingModel: string; fingerprint: string }> => {
  await choose(setting)
  const { name, fingerprint } = made.at(-1)!.embedder!
  return { embeddingModel: name, fingerprint }
}

test('auto uses the best known model when Ollama answers', async () => {
  fake.setModels([
    makeModel('llama3', { capabilities: ['completion'] }),
    makeModel('all-minilm'),
    makeModel('bge-m3', { dimensions: 1024 }),
  ])
  expect(await choose('auto')).toMatchObject({ name: 'ollama:bge-m3', reason: expect.stringMatching(/answers and has bge-m3/) })
  fake.setModels([makeModel('all-minilm'), EMBEDDINGGEMMA])
  expect(await choose('auto')).toMatchObject({ name: 'ollama:embeddinggemma' })
})
test('auto uses an unknown model that says it can embed', async () => {
  fake.setModels([makeModel('llama3', { capabilities: ['completion'] }), makeModel('house/own', { dimensions: 48 })])
  expect(await choose('auto')).toMatchObject({ name: 'ollama:house/own' })
})
test('auto uses the built-in embedder when Ollama has no embedding model, and says how to get one', async () => {
  fake.setModels([makeModel('llama3', { capabilities: ['completion'] })])
  expect(await choose('auto')).toMatchObject({
    name: 'builtin',
    reason: expect.stringMatching(/docsearch models pull embeddinggemma/),
  })
})
test('auto uses the built-in embedder without Ollama', async () => {
  await fake.stop()
  expect(await choose('auto')).toMatchObject({ name: 'builtin', reason: expect.stringMatching(/Ollama at .* does not answer/) })
})
test('auto uses the built-in embedder when another server answers at the address', async () => {
  fake.fail({ path: '/api/tags', body: '<html>' })
  expect(await choose('auto')).toMatchObject({ name: 'builtin' })
})
test('auto uses the built-in embedder when the address never answers', async () => {
  fake.fail({ path: '/api/tags', kind: 'hang' })
  expect(await choose('auto')).toMatchObject({ name: 'builtin' })
})
test('auto keeps the embedder of the index, and says how to change it', async () => {
  const builtin = await indexOf('builtin')
  expect(await choose('auto', builtin)).toMatchObject({
    name: 'builtin',
    reason: expect.stringMatching(/docsearch models use/),
  })
  const gemma = await indexOf('ollama:embeddinggemma')
  expect(await choose('auto', gemma)).toMatchObject({
    name: 'ollama:embeddinggemma',
    reason: expect.stringMatching(/docsearch models use/),
  })
})
test('auto names a model that is there when it keeps the built-in embedder', async () => {
  const builtin = await indexOf('builtin')
  fake.setModels([makeModel('bge-m3', { dimensions: 1024 })])
  expect(await choose('auto', builtin)).toMatchObject({
    name: 'builtin',
    reason: expect.stringContaining('has bge-m3, which understands looser wording and perhaps other languages'),
  })
  expect((await choose('auto', builtin)).reason).toContain('`docsearch models use bge-m3`')
})
test('auto keeps the model of the index while Ollama is away', async () => {
  const gemma = await indexOf('ollama:embeddinggemma')
  await fake.stop()
  expect(await choose('auto', gemma)).toMatchObject({ name: 'ollama:embeddinggemma' })
  expect(made.at(-1)!.embedder!.fingerprint).toBe(gemma.fingerprint)
})
test('uses a model that is set by name, with or without its tag', async () => {
  expect(await choose('ollama:embeddinggemma:latest')).toMatchObject({ name: 'ollama:embeddinggemma' })
})
test('a model that is set by name and missing gives no embedder, and says what to run', async () => {
  expect(await choose('ollama:bge-m3')).toMatchObject({
    name: null,
    reason: expect.stringMatching(/docsearch models pull bge-m3/),
  })
})
test('a model that is set by name while Ollama is away gives an embedder only for its own index', async () => {
  const gemma = await indexOf('ollama:embeddinggemma')
  await fake.stop()
  expect(await choose('ollama:embeddinggemma')).toMatchObject({ name: null, reason: expect.stringMatching(/cannot be reached/) })
  expect(await choose('ollama:embeddinggemma', gemma)).toMatchObject({ name: 'ollama:embeddinggemma' })
})
test('uses the built-in embedder when it is set by name, whatever made the index', async () => {
  expect(await choose('builtin', await indexOf('ollama:embeddinggemma'))).toMatchObject({ name: 'builtin' })
})
test('never shows the name and password in the address', async () => {
  await fake.stop()
  const ollamaUrl = fake.url.replace('http://', 'http://annabel:s3cret@')
  const choice = await chooseEmbedder({ setting: 'ollama:embeddinggemma', ollamaUrl, existing: null, log: silentLogger })
  expect(choice.reason).toMatch(/127\.0\.0\.1/)
  expect(choice.reason).not.toMatch(/annabel|s3cret/)
})
