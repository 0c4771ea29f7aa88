import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generatedText } from '../support/generated-text.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { searchWhile } from '../support/search-while.ts'
import { realOllama } from './real-ollama.ts'

const ollama = await realOllama()
// The smallest model, so that this takes minutes also without an accelerator.
const model = ollama?.embedders.find((name) => name.startsWith('all-minilm')) ?? ollama?.embedders[0]
const SEARCHES = 60

describe.skipIf(model === undefined)(`searching while ${model ?? 'a model'} embeds`, () => {
  let instance: Instance
  let running: Running
  const text = generatedText()
  const questions = text.questions(SEARCHES, 20)
  // Of ten documents, the last one is a book.
  const documents = Array.from({ length: 50 }, (_, i) => i).filter((i) => i % 10 !== 9)
  const upload = async (numbers: readonly number[]): Promise<void> => {
    expect((await running.upload(numbers.map((number) => text.document(number)))).status).toBe(202)
  }

  beforeAll(async () => {
    instance = await newInstance({ DOCSEARCH_EMBEDDER: `ollama:${model}`, DOCSEARCH_OLLAMA: ollama!.url })
    running = await instance.start()
    await upload(documents.slice(0, 10))
    await running.settled(600_000)
  })
  afterAll(() => instance?.remove())

  test('at least 95 % of the searches are hybrid, and every document is embedded', async () => {
    for (let i = 10; i < documents.length; i += 20) await upload(documents.slice(i, i + 20))
    const { ms, hybrid, reasons } = await searchWhile(running, questions, () => true)
    const sorted = ms.toSorted((a, b) => a - b)
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!)
    console.log(`${hybrid} of ${ms.length} searches hybrid; p50 ${at(0.5)} ms, p95 ${at(0.95)} ms. ${reasons.join(' ')}`)
    expect(hybrid / ms.length).toBeGreaterThanOrEqual(0.95)
    const settled = await running.settled(600_000)
    expect(settled.filter(({ status }) => status !== 'ready')).toEqual([])
    expect(settled.every(({ embedding_model }) => embedding_model === `ollama:${model}`)).toBe(true)
  })
})
