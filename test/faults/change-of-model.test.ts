import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from 'vitest'
import type { ModelList } from '../../src/contract/models.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { makeModel } from '../support/fake-ollama-model.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

const MODEL = 'ollama:small'

/** A data folder with two documents and the built-in embedder, copied for every test. */
let template: Instance
let ollama: FakeOllama
const words: Record<string, string> = { 'one.txt': rareWord(), 'two.txt': rareWord() }

beforeAll(async () => {
  ollama = await startFakeOllama([makeModel('small', { dimensions: 64 })])
  template = await newInstance({ DOCSEARCH_OLLAMA: ollama.url, DOCSEARCH_EMBEDDER: 'builtin' })
  const first = await template.start()
  for (const [name, word] of Object.entries(words)) await first.upload([{ name, content: textWith(word) }], { wait: true })
  expect(await first.daemon.stop()).toBe(0)
})
afterAll(async () => {
  await template?.remove()
  await ollama?.close()
})

vi.setConfig({ testTimeout: 240_000 })

async function copyOfTemplate({ onTestFinished }: TestContext): Promise<Instance> {
  const instance = await template.copy()
  onTestFinished(() => instance.remove())
  return instance
}

const models = async (rest: Running) => (await rest.call<ModelList>('GET', '/api/v1/models')).body.models
const inUse = async (rest: Running) => (await models(rest)).find(({ in_use }) => in_use)?.name
const use = (rest: Running, model: string) => rest.call('POST', '/api/v1/models/use', { model })
// Names no embedder, so the one chosen while it ran counts.
const AUTO = { DOCSEARCH_EMBEDDER: 'auto' }

describe.each(['build', 'build-index', 'build-done', 'whole', 'switch'] as const)(
  'killed while the index of another model is built, at %s',
  (killAt) => {
    test('the next start completes the switch: nothing is lost or doubled, and vectors and queries are of one model', async (context) => {
      const instance = await copyOfTemplate(context)
      const before = await instance.start({ killAt, env: AUTO })
      await use(before, MODEL).catch(() => undefined)
      await before.died()

      const after = await instance.start({ env: AUTO })
      for (const [name, word] of Object.entries(words)) expect(await found(after, word)).toEqual([name])
      const late = { 'late.txt': rareWord() }
      await after.upload([{ name: 'late.txt', content: textWith(late['late.txt']) }])
      await until(`${MODEL} in use`, async () => (await inUse(after)) === MODEL)
      await expectSearchableOnce(after, { ...words, ...late })
      for (const [name, word] of Object.entries({ ...words, ...late })) {
        const answer = await after.search(word, { mode: 'vector', limit: 3 })
        expect(answer).toMatchObject({ mode: 'vector', embedding_model: MODEL })
        expect(answer.results[0]?.document.name).toBe(name)
      }
      expect((await models(after)).flatMap(({ indexes }) => indexes.map(({ state }) => state))).toEqual(['in_use', 'kept'])
      await expectTidy(after, instance.dataDir)
    })
  },
)

test('a chosen model outlasts a restart; an embedder in the configuration beats it, and the retired index is still there', async (context) => {
  const instance = await copyOfTemplate(context)
  let running = await instance.start({ env: AUTO })
  await use(running, MODEL)
  await until('the change', async () => (await inUse(running)) === MODEL)
  await running.daemon.stop()
  running = await instance.start({ env: AUTO })
  expect(await inUse(running)).toBe(MODEL)
  await running.daemon.stop()
  running = await instance.start({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  await until('the configured one', async () => (await inUse(running)) === 'builtin')
  expect((await use(running, MODEL)).body).toMatchObject({ notice: expect.stringContaining('builtin') })
  await until('the other', async () => (await inUse(running)) === MODEL)
  await expectSearchableOnce(running, words)
})
