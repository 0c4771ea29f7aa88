import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { Batcher } from '../../../src/ingest/batcher.ts'
import { createRetries } from '../../../src/core/retries.ts'

const never = new AbortController().signal
const inputs = (word: string, count: number) => Array.from({ length: count }, (_, i) => ({ text: `${word} ${i}`, title: null }))

/** The built-in embedder, recording its calls. */
function recording(): Embedder & { calls: string[][] } {
  const embedder = createBuiltinEmbedder()
  const calls: string[][] = []
  return {
    ...embedder,
    calls,
    embedDocuments(batch, signal) {
      calls.push(batch.map((input) => input.text))
      return embedder.embedDocuments(batch, signal)
    },
  }
}

const batcher = () => new Batcher(createRetries(silentLogger, never))

test('returns vectors in the order of the inputs, across batches', async () => {
  const embedder = recording()
  const wanted = inputs('passage', 150)
  expect(await batcher().embed(embedder, wanted, { owner: 'usr_1', signal: never })).toEqual(
    await createBuiltinEmbedder().embedDocuments(wanted),
  )
  expect(embedder.calls.map((call) => call.length)).toEqual([64, 64, 22])
})

test("small documents share a call, and don't wait until a large one is complete", async () => {
  const embedder = recording()
  const shared = batcher()
  await Promise.all([
    shared.embed(embedder, inputs('large', 300), { owner: 'usr_1', signal: never }),
    ...[1, 2, 3].map((i) => shared.embed(embedder, inputs(`small${i}`, 2), { owner: 'usr_1', signal: never })),
  ])
  const withSmall = embedder.calls.findIndex((call) => call.some((text) => text.startsWith('small')))
  expect(withSmall).toBeLessThanOrEqual(1)
  expect(embedder.calls[withSmall]!.filter((text) => text.startsWith('small'))).toHaveLength(6)
  expect(embedder.calls.flat()).toHaveLength(306)
})

test('an aborted request does not affect the others', async () => {
  const embedder = recording()
  const shared = batcher()
  const given = new AbortController()
  const up = shared.embed(embedder, inputs('up', 500), { owner: 'usr_1', signal: given.signal })
  const other = shared.embed(embedder, inputs('other', 3), { owner: 'usr_1', signal: never })
  given.abort(new Error('given up'))
  await expect(up).rejects.toThrow('given up')
  expect(await other).toHaveLength(3)
  expect(embedder.calls.flat().length).toBeLessThan(200)
})

test('keeps nothing of a document that has its vectors', async () => {
  const { signal } = new AbortController()
  let listening = 0
  signal.addEventListener = () => void listening++
  signal.removeEventListener = () => void listening--
  await batcher().embed(recording(), inputs('passage', 3), { owner: 'usr_1', signal: signal })
  expect(listening).toBe(0)
})

test('passages do not wait until many documents of another user are embedded', async () => {
  const embedder = recording()
  const shared = batcher()
  await Promise.all([
    ...Array.from({ length: 10 }, (_, i) => shared.embed(embedder, inputs(`a${i}`, 64), { owner: 'a', signal: never })),
    shared.embed(embedder, inputs('b', 3), { owner: 'b', signal: never }),
  ])
  expect(embedder.calls.findIndex((call) => call.some((text) => text.startsWith('b ')))).toBe(1)
})

test('fills each call up to the limits that the embedder has by then', async () => {
  const embedder = recording()
  const limits = [
    { inputs: 64, tokens: 10 },
    { inputs: 64, tokens: 30 },
    { inputs: 3, tokens: 1_000 },
  ]
  Object.defineProperty(embedder, 'batchLimits', { get: () => limits[embedder.calls.length] ?? limits[0] })
  const words = (count: number) => ({ text: 'word '.repeat(count), title: null })
  const counts = [4, 4, 4, 25, 4, 1, 1, 1, 1, 40, 4]
  await batcher().embed(embedder, counts.map(words), { owner: 'a', signal: never })
  const countsOf = (call: string[]) => call.map((text) => text.trim().split(' ').length)
  expect(embedder.calls.map(countsOf)).toEqual([[4, 4], [4, 25], [4, 1, 1], [1, 1], [40], [4]])
})
