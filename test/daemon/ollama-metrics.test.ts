import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { samplesOf } from '../support/metrics.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

let ollama: FakeOllama
let instance: Instance
let running: Running
let key: string

beforeAll(async () => {
  ollama = await startFakeOllama()
  instance = await newInstance({ DOCSEARCH_EMBEDDER: 'ollama:embeddinggemma', DOCSEARCH_OLLAMA: ollama.url })
  running = await instance.start()
  const created = await running.call<{ key: string }>('POST', '/api/v1/keys', { name: 'metrics', scopes: ['read:metrics'] })
  key = created.body.key
})
afterAll(async () => {
  await instance?.remove()
  await ollama?.close()
})

async function valueOf(name: string, labels: Record<string, string>): Promise<number> {
  const response = await fetch(`${running.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  const found = samplesOf(await response.text()).find(
    (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found?.value ?? 0
}

const calls = (kind: string, outcome: string) => valueOf('docsearch_ollama_call_duration_seconds_count', { kind, outcome })
const waits = (kind: string) => valueOf('docsearch_ollama_wait_seconds_count', { kind })

const isPassages = (body: Record<string, unknown>): boolean => JSON.stringify(body['input']).includes('password')

test('counts calls of Ollama for passages and for queries, with their outcomes, times and waits', async () => {
  const word = rareWord()
  await running.upload([{ name: 'one.txt', content: textWith(word) }], { wait: true })
  const batches = await calls('batch', 'ok')
  expect(batches).toBeGreaterThanOrEqual(1)
  expect(await waits('batch')).toBeGreaterThanOrEqual(batches)

  const [queries, queryWaits] = [await calls('query', 'ok'), await waits('query')]
  expect((await running.search(word)).mode).toBe('hybrid')
  expect([await calls('query', 'ok'), await waits('query')]).toEqual([queries + 1, queryWaits + 1])
  expect(await valueOf('docsearch_ollama_call_duration_seconds_sum', { kind: 'query', outcome: 'ok' })).toBeGreaterThan(0)
})

test('counts failed calls, and how many calls wait', async () => {
  expect(await calls('batch', 'failed')).toBe(0)
  ollama.fail({ path: '/api/embed', when: isPassages, status: 500, error: 'llama runner process no longer running' })
  await running.upload([{ name: 'two.txt', content: textWith(rareWord()) }])
  await running.settled()
  expect(await calls('batch', 'failed')).toBe(1)

  // While a batch is with Ollama, the next one waits.
  const held = ollama.hold('/api/embed', isPassages)
  await running.upload([{ name: 'three.txt', content: textWith(rareWord()) }])
  await held.arrived
  const batches = await calls('batch', 'ok')
  expect(await valueOf('docsearch_ollama_waiting_calls', { kind: 'query' })).toBe(0)
  held.release()
  await running.settled()
  await until('the call to be counted', async () => (await calls('batch', 'ok')) > batches)
})
