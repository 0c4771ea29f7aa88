import { expect, test } from 'vitest'
import { openBench } from './harness.ts'

test('returns true at once for no documents, deleted ones and those of another project', async () => {
  const bench = await openBench()
  expect(await bench.ingest.settled(bench.visible, [], 0)).toBe(true)
  expect(await bench.ingest.settled(bench.visible, ['doc_none'], 0)).toBe(true)
  const { document } = await bench.upload('a.txt', 'A heron.')
  expect(await bench.ingest.settled(new Set(['prj_other']), [document.id], 0)).toBe(true)
})

test('returns false when the time is over or the caller has gone', async () => {
  const bench = await openBench()
  const { document } = await bench.upload('a.txt', 'A heron.')
  expect(await bench.ingest.settled(bench.visible, [document.id], 1)).toBe(false)
  const caller = new AbortController()
  const waiting = bench.ingest.settled(bench.visible, [document.id], 3_600_000, caller.signal)
  caller.abort()
  expect(await waiting).toBe(false)
})

test('returns true when the document is deleted', async () => {
  const bench = await openBench()
  const { document } = await bench.upload('a.txt', 'A heron.')
  const waiting = bench.ingest.settled(bench.visible, [document.id], 3_600_000)
  await bench.ingest.deleteDocument(bench.visible, document.id)
  expect(await waiting).toBe(true)
})
