import { expect, onTestFinished, test } from 'vitest'
import { startFakeOllama } from '../../support/fake-ollama.ts'
import { until } from '../../support/until.ts'
import { openBench } from './harness.ts'
import { warningCode } from '../../support/codes.ts'

async function withOllama() {
  const ollama = await startFakeOllama()
  onTestFinished(() => ollama.close())
  return { ollama, embedder: 'ollama:embeddinggemma', ollamaUrl: ollama.url }
}

test('while Ollama is away documents wait and health says why; they complete when it is back', async () => {
  const { ollama, ...settings } = await withOllama()
  const bench = await openBench(settings)
  await bench.ingest.start()
  await ollama.stop()
  const { document } = await bench.upload('a.txt', 'A heron.')
  const status = await until('it waits', async () => {
    const now = await bench.ingest.status()
    return now.status === 'degraded' && now
  })
  expect(status.message).toContain('Ollama')
  expect(await bench.row(document.id)).toMatchObject({ status: 'processing', pageCount: 1 })
  await ollama.restart()
  await bench.settle(document.id)
  expect(await bench.row(document.id)).toMatchObject({ status: 'ready', embeddingModel: 'ollama:embeddinggemma' })
  expect(await bench.ingest.status()).toMatchObject({ status: 'ok' })
})

test('accepts uploads while Ollama has never answered, and completes them once it does', async () => {
  const { ollama, ...settings } = await withOllama()
  await ollama.stop()
  const bench = await openBench(settings)
  expect(bench.lifecycle.active()).toBeNull()
  await bench.ingest.start()
  const { document } = await bench.upload('a.txt', 'A heron.')
  expect(await bench.lifecycle.status()).toMatchObject({ embedder: { status: 'unavailable' } })
  await ollama.restart()
  await bench.settle(document.id)
  expect(await bench.row(document.id)).toMatchObject({ status: 'ready' })
})

test('a document with a passage that the model cannot embed is found, and has a warning', async () => {
  const { ollama, ...settings } = await withOllama()
  ollama.poison('poisonword')
  const bench = await openBench(settings)
  await bench.ingest.start()
  const document = await bench.ingested('a.txt', 'A heron and a poisonword.')
  expect(document).toMatchObject({
    status: 'ready',
    chunkCount: 1,
    health: { chunksSkipped: 1 },
    warnings: [{ code: warningCode('chunk_not_embedded') }],
  })
  expect(await bench.found('heron')).toEqual(['a.txt'])
})

test('a stop while Ollama is away puts documents back into the queue, and the next start completes them', async () => {
  const { ollama, ...settings } = await withOllama()
  const before = await openBench(settings)
  await before.ingest.start()
  await ollama.stop()
  const { document } = await before.upload('a.txt', 'A heron.')
  await until('it waits', async () => (await before.ingest.status()).status === 'degraded')
  await before.ingest.stop(10_000)
  expect(await before.row(document.id)).toMatchObject({ status: 'queued' })
  await before.close()
  await ollama.restart()
  const after = await openBench({ ...settings, folder: before.folder })
  await after.ingest.start()
  await after.settle(document.id)
  expect(await after.found('heron')).toEqual(['a.txt'])
})
