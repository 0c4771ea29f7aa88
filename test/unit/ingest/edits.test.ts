import { expect, test, vi } from 'vitest'
import { diskFull } from '../../../src/core/disk-errors.ts'
import { startFakeOllama } from '../../support/fake-ollama.ts'
import { openBench } from './harness.ts'

const TEXT = Array.from({ length: 40 }, (_, i) => `The heron number ${i} stands in the reeds and waits for a fish.`).join('\n\n')

test('an edit embeds nothing, and the next search finds the document by its new name and title', async () => {
  const ollama = await startFakeOllama()
  const bench = await openBench({ embedder: 'ollama:embeddinggemma', ollamaUrl: ollama.url })
  await bench.ingest.start()
  const { id, chunkCount } = await bench.ingested('plain.txt', TEXT)
  const before = await bench.index().vectors(id)
  expect([chunkCount! > 1, before.size]).toEqual([true, chunkCount])
  const calls = ollama.embedCalls().length
  const edited = await bench.ingest.edit(bench.visible, id, { name: 'egret.txt', title: 'Zephyrs', path: 'a/egret.txt' })
  expect(edited).toMatchObject({ status: 'ready', version: 2, name: 'egret.txt', title: 'Zephyrs', chunkCount })
  expect([await bench.found('egret'), await bench.found('zephyr'), await bench.found('heron')]).toEqual(
    Array(3).fill(['a/egret.txt']),
  )
  expect(ollama.embedCalls()).toHaveLength(calls)
  const after = await bench.index().vectors(id)
  expect([...after].map(([index, { vector, version }]) => [index, vector, version])).toEqual(
    [...before].map(([index, { vector }]) => [index, vector, 2]),
  )
  // Records and index agree, so the next start queues nothing again.
  expect(await bench.index().inventory()).toEqual(await bench.records.queue.expected())
})

test('an edit that the index cannot write is queued, and done later', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('plain.txt', TEXT)
  const put = vi.spyOn(bench.index(), 'put').mockRejectedValueOnce(diskFull())
  const edited = await bench.ingest.edit(bench.visible, id, { name: 'egret.txt' })
  expect([edited?.status, put.mock.calls.length]).toEqual(['queued', 1])
  await bench.settle(id)
  expect(await bench.row(id)).toMatchObject({ status: 'ready', name: 'egret.txt' })
  expect(await bench.found('egret')).toEqual(['plain.txt'])
})

test('an edit of a document with other passages in the index indexes the document again', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('plain.txt', TEXT)
  vi.spyOn(bench.index(), 'vectors').mockResolvedValueOnce(new Map())
  expect(await bench.ingest.edit(bench.visible, id, { name: 'egret.txt' })).toMatchObject({ status: 'queued' })
  await bench.settle(id)
  expect(await bench.found('egret')).toEqual(['plain.txt'])
})

test('an edit and a deletion of the same document leave nothing in the index', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('plain.txt', TEXT)
  await Promise.all([bench.ingest.edit(bench.visible, id, { name: 'egret.txt' }), bench.ingest.deleteDocument(bench.visible, id)])
  expect(await bench.ingest.edit(bench.visible, id, { name: 'stork.txt' })).toBeNull()
  await vi.waitFor(async () => expect(await bench.index().countPassages()).toBe(0), { timeout: 20_000 })
})

test('edits of the same document at the same time all happen', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('plain.txt', TEXT)
  await Promise.all([
    bench.ingest.edit(bench.visible, id, { name: 'egret.txt' }),
    bench.ingest.edit(bench.visible, id, { path: 'a/egret.txt' }),
    bench.ingest.edit(bench.visible, id, { tags: ['x'] }),
  ])
  await bench.settle(id)
  expect(await bench.row(id)).toMatchObject({ status: 'ready', name: 'egret.txt', path: 'a/egret.txt', tags: ['x'] })
  expect(await bench.found('egret')).toEqual(['a/egret.txt'])
  expect(await bench.index().inventory()).toEqual(await bench.records.queue.expected())
})
