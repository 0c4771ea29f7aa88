import { afterEach, beforeEach, expect, test } from 'vitest'
import { errorCode } from '../support/codes.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { makeModel } from '../support/fake-ollama-model.ts'
import { generatedText } from '../support/generated-text.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { searchWhile } from '../support/search-while.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

const text = generatedText()
const questions = text.questions(40, 20)
/** Questions have few words, passages many. */
const isQuestion = (texts: readonly string[]): boolean => texts.join(' ').length < 300

let ollama: FakeOllama
let instance: Instance
let running: Running
beforeEach(async () => {
  ollama = await startFakeOllama([makeModel('all-minilm'), makeModel('embeddinggemma', { dimensions: 768 })])
  instance = await newInstance({ DOCSEARCH_EMBEDDER: 'auto', DOCSEARCH_OLLAMA: ollama.url, DOCSEARCH_RERANKER: 'builtin' })
  running = await instance.start()
})
afterEach(async () => {
  await instance?.remove()
  await ollama?.close()
})

async function upload(from: number, to: number): Promise<void> {
  const files = Array.from({ length: to - from }, (_, i) => text.document(from + i))
  expect((await running.upload(files)).status).toBe(202)
}

const embedderHealth = async () => (await running.health()).checks?.embedder

test('searches are hybrid while documents are embedded slowly, even for a second model', async () => {
  await upload(0, 3)
  await running.settled()
  ollama.speed(800)
  await upload(3, 9)
  const first = await searchWhile(running, questions.slice(0, 15), () => true)
  expect(first).toMatchObject({ hybrid: 15, reasons: [] })
  expect((await running.call('POST', '/api/v1/models/use', { model: 'all-minilm' })).status).toBeLessThan(300)
  const second = await searchWhile(running, questions.slice(15, 30), () => true)
  expect(second).toMatchObject({ hybrid: 15, reasons: [] })
  // Passages were embedded all the time, and in small batches once their speed was known.
  const batches = ollama.computed.filter(({ texts }) => !isQuestion(texts))
  expect(batches.length).toBeGreaterThan(10)
  for (const { tokens } of batches.slice(-5)) expect(tokens).toBeLessThan(800)
  expect(ollama.calls.some(({ body }) => body['model'] === 'all-minilm' && body['input'] !== '')).toBe(true)
  ollama.speed(Infinity)
})

test('when Ollama hangs, only one search waits, answers and health say why, and searches recover by themselves', async () => {
  const word = rareWord()
  await running.upload([{ name: 'before.txt', content: textWith(word) }])
  await running.settled()
  await running.search('warm')
  ollama.freeze()
  const waited = await running.search(`first ${word}`)
  expect(waited).toMatchObject({ mode: 'keyword', mode_reason: expect.stringMatching(/did not answer within 5 s/) })
  const calls = ollama.embedCalls().length
  for (let i = 0; i < 6; i++) {
    const answer = await running.search(`${word} number ${i}`)
    expect(answer).toMatchObject({
      mode: 'keyword',
      mode_reason: expect.stringMatching(/did not answer an earlier query in time/),
    })
    expect(answer.results).toHaveLength(1)
  }
  expect(ollama.embedCalls().length - calls).toBeLessThanOrEqual(1)
  expect(await embedderHealth()).toMatchObject({ status: 'degraded', code: errorCode('embedder_unavailable') })
  ollama.thaw()
  await until('health to be good again', async () => (await embedderHealth())?.status === 'ok')
  expect((await running.search(`last ${word}`)).mode).toBe('hybrid')
})

test('a full queue at Ollama delays documents and loses none', async () => {
  ollama.speed(2_000)
  ollama.limitQueue(1)
  await upload(0, 4)
  await searchWhile(running, questions.slice(0, 5), () => true)
  ollama.limitQueue(Infinity)
  ollama.speed(Infinity)
  const documents = await running.settled()
  expect(documents.filter(({ status }) => status !== 'ready')).toEqual([])
  expect((await running.search(questions[10]!)).mode).toBe('hybrid')
})
