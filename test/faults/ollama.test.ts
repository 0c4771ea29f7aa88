import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../support/daemon.ts'
import { type FakeOllama, type Fault, startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA } from '../support/fake-ollama-model.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'
import { errorCode } from '../support/codes.ts'

const MODEL = 'ollama:embeddinggemma'

let ollama: FakeOllama
let instance: Instance
let running: Running

const newOllamaInstance = (): Promise<Instance> => newInstance({ DOCSEARCH_EMBEDDER: MODEL, DOCSEARCH_OLLAMA: ollama.url })

async function upload(...names: string[]): Promise<Record<string, string>> {
  const words = Object.fromEntries(names.map((name) => [name, rareWord()]))
  for (const [name, word] of Object.entries(words))
    expect((await running.upload([{ name, content: textWith(word) }])).status).toBe(202)
  return words
}

/** Expects vector search to find each document, so the index has vectors of the model that embeds queries. */
async function expectFoundByVector(words: Record<string, string>): Promise<void> {
  for (const [name, word] of Object.entries(words)) {
    const answer = await running.search(word, { mode: 'vector', limit: 3 })
    expect(answer).toMatchObject({ mode: 'vector', mode_reason: null, embedding_model: MODEL })
    expect(answer.results[0]?.document.name).toBe(name)
  }
}

async function expectKeywordsOnly(word: string, name: string): Promise<void> {
  const answer = await running.search(word)
  expect(answer.mode).toBe('keyword')
  expect(answer.mode_reason).toMatch(/ollama/i)
  expect(answer.embedding_model).toBe(null)
  expect(answer.results.map(({ document }) => document.name)).toEqual([name])
}

const embedderHealth = async () => (await running.health()).checks?.embedder

describe('an Ollama that fails while documents are embedded', () => {
  const all: Record<string, string> = {}
  beforeAll(async () => {
    ollama = await startFakeOllama()
    instance = await newOllamaInstance()
    running = await instance.start()
    Object.assign(all, await upload('before.txt'))
    await expectSearchableOnce(running, all)
  })
  afterAll(async () => {
    await instance?.remove()
    await ollama?.close()
  })

  const documents = (body: Record<string, unknown>): boolean => JSON.stringify(body['input']).includes('password')
  const path = '/api/embed'
  test.each<[string, Fault]>([
    [
      'answers 500 in the middle of a batch',
      { path, when: documents, status: 500, error: 'llama runner process no longer running' },
    ],
    [
      'is overloaded',
      {
        path,
        when: documents,
        status: 503,
        error: 'server busy, please try again.  maximum pending requests exceeded',
        times: 2,
      },
    ],
    ['cuts the connection', { path, when: documents, kind: 'reset', times: 2 }],
    ['returns vectors of another length', { path, when: documents, kind: 'wrong_dimensions' }],
    ['returns too few vectors', { path, when: documents, kind: 'wrong_count' }],
    ['returns no JSON', { path, when: documents, body: '<html>proxy error</html>' }],
  ])('%s: waits, then indexes each document once, with its own vectors', async (what, fault) => {
    ollama.fail(fault)
    const words = await upload(...['a', 'b', 'c'].map((letter) => `${what} ${letter}.txt`))
    await expectSearchableOnce(running, words)
    await expectFoundByVector(words)
    Object.assign(all, words)
    ollama.assertDone()
  })

  test('always returns NaN for one passage: keywords find that passage, with a warning, and the others have vectors', async () => {
    const poisoned = rareWord()
    ollama.poison(poisoned)
    await running.upload([{ name: 'poisoned.txt', content: textWith(poisoned) }])
    const others = await upload('beside.txt')
    await expectSearchableOnce(running, others)
    await expectFoundByVector(others)
    expect(await found(running, poisoned)).toEqual(['poisoned.txt'])
    const document = (await running.documents()).find(({ name }) => name === 'poisoned.txt')!
    expect(document).toMatchObject({ status: 'ready', health: { chunks_skipped: 1 } })
    expect(document.warnings.length).toBeGreaterThan(0)
    Object.assign(all, others)
  })

  test('is slow: searches find what is ready and count the rest as pending', async () => {
    const held = ollama.hold(path)
    const words = await upload('slow.txt')
    await held.arrived
    expect((await running.search(all['before.txt']!, { mode: 'keyword' })).pending_documents).toBe(1)
    expect(await found(running, all['before.txt']!)).toEqual(['before.txt'])
    held.release()
    await expectSearchableOnce(running, words)
    Object.assign(all, words)
  })

  test('goes down and comes back: meanwhile searches use keywords and give the reason, and health reports it', async () => {
    await ollama.stop()
    const words = await upload('down-1.txt', 'down-2.txt')
    await expectKeywordsOnly(all['before.txt']!, 'before.txt')
    expect(await embedderHealth()).toMatchObject({ status: 'degraded', code: errorCode('embedder_unavailable') })
    await until('health to say that processing waits', async () => (await running.health()).checks?.queue?.status === 'degraded')
    expect((await running.documents()).filter(({ status }) => status === 'failed')).toEqual([])

    await ollama.restart()
    await expectSearchableOnce(running, words)
    await expectFoundByVector({ ...words, 'before.txt': all['before.txt']! })
    expect(await embedderHealth()).toMatchObject({ status: 'ok' })
    Object.assign(all, words)
  })

  test('becomes another model under the same name: docsearch does not use it until the old one is back', async () => {
    await expectFoundByVector({ 'before.txt': all['before.txt']! })
    ollama.setDigest(EMBEDDINGGEMMA.name, 'f'.repeat(64))
    // Not even right after a check with the right model.
    await expectKeywordsOnly(all['before.txt']!, 'before.txt')
    const words = await upload('changed.txt')
    await until('health to report it', async () => (await embedderHealth())?.code === errorCode('embedding_model_changed'))
    await expectKeywordsOnly(all['before.txt']!, 'before.txt')
    expect((await running.documents()).find(({ name }) => name === 'changed.txt')!.status).toMatch(/queued|processing/)
    ollama.setDigest(EMBEDDINGGEMMA.name, EMBEDDINGGEMMA.digest)
    await expectSearchableOnce(running, words)
    await expectFoundByVector({ ...words, 'before.txt': all['before.txt']! })
    Object.assign(all, words)
  })

  test('docsearch is killed while Ollama is down: the next start serves keywords and finishes when Ollama is back', async () => {
    await ollama.stop()
    const words = await upload('killed.txt')
    await running.daemon.kill()
    running = await instance.start()
    await expectKeywordsOnly(all['before.txt']!, 'before.txt')
    await ollama.restart()
    Object.assign(all, words)
    await expectSearchableOnce(running, all)
    await expectFoundByVector(words)
    await expectTidy(running, instance.dataDir)
  })
})

describe('which model an index belongs to', () => {
  beforeEach(async () => {
    ollama = await startFakeOllama()
    instance = await newOllamaInstance()
  })
  afterEach(async () => {
    await instance?.remove()
    await ollama?.close()
  })

  test('named explicitly and down at the start: accepts uploads and indexes them when Ollama comes up', async () => {
    await ollama.stop()
    running = await instance.start()
    const words = await upload('early.txt')
    const answer = await running.search(words['early.txt']!)
    expect(answer).toMatchObject({ results: [], pending_documents: 1 })
    expect(answer.mode_reason).toMatch(/ollama/i)
    expect(await embedderHealth()).toMatchObject({ status: 'unavailable' })
    await ollama.restart()
    await expectSearchableOnce(running, words)
    await expectFoundByVector(words)
  })

  test('another model under the same name at the start: searches use keywords until a reindex', async () => {
    running = await instance.start()
    const words = await upload('old.txt')
    await expectSearchableOnce(running, words)
    await running.daemon.stop()
    ollama.setDigest(EMBEDDINGGEMMA.name, 'e'.repeat(64))

    running = await instance.start()
    await expectKeywordsOnly(words['old.txt']!, 'old.txt')
    expect((await embedderHealth())?.code).toBe(errorCode('embedding_model_changed'))
    await running.daemon.stop()

    expect((await runCli(['reindex'], instance.env)).code).toBe(0)
    running = await instance.start()
    await expectSearchableOnce(running, words)
    await expectFoundByVector(words)
  })

  test('the built-in embedder by name: embeds everything again and no longer calls the old model', async () => {
    running = await instance.start()
    const words = await upload('one.txt', 'two.txt')
    await expectSearchableOnce(running, words)
    await running.daemon.stop()

    running = await instance.start({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
    // The old index answers until the new one is complete.
    await expectSearchableOnce(running, words)
    await until('the built-in embedder in use', async () => {
      return (await running.search(words['one.txt']!)).embedding_model === 'builtin'
    })
    const asked = ollama.embedCalls().length
    for (const document of await running.documents()) expect(document.embedding_model).toBe('builtin')
    expect(await running.search(words['one.txt']!)).toMatchObject({ mode: 'hybrid', embedding_model: 'builtin' })
    expect(ollama.embedCalls().length).toBe(asked)
    await expectTidy(running, instance.dataDir)
    await running.daemon.stop()

    // `auto` keeps the embedder of the index, although Ollama answers.
    running = await instance.start({ env: { DOCSEARCH_EMBEDDER: 'auto' } })
    expect(await running.search(words['one.txt']!)).toMatchObject({ mode: 'hybrid', embedding_model: 'builtin' })
    expect(ollama.embedCalls().length).toBe(asked)
  })
})
