import { expect, onTestFinished, test, vi } from 'vitest'
import { analyseQuery } from '../../../src/text/analyse.ts'
import { keywordSearch } from '../../support/search-index.ts'
import { until } from '../../support/until.ts'
import { openBench } from './harness.ts'

test('finds a replaced document by its new text only', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('a.txt', 'The old text speaks of herons.')
  const { document, outcome } = await bench.upload('a.txt', 'The new text speaks of storks.')
  expect([document.id, outcome]).toEqual([id, 'replaced'])
  await bench.settle(id)
  expect([await bench.found('heron'), await bench.found('stork')]).toEqual([[], ['a.txt']])
  expect(await bench.index().inventory()).toEqual(new Map([[id, { version: 2, chunks: 1 }]]))
})

test('finds the old version until the new one is in progress', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  await bench.ingested('a.txt', 'The old text speaks of herons.')
  const { folder } = bench
  await bench.close()
  // The worker has not been started.
  const waiting = await openBench({ folder })
  await waiting.upload('a.txt', 'The new text speaks of storks.')
  expect(await waiting.found('heron')).toEqual(['a.txt'])
})

test('finds nothing of a document whose new version cannot be read', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('a.txt', 'The old text speaks of herons.')
  await bench.upload('a.txt', '%PDF-1.7\nnothing of a PDF')
  await bench.settle(id)
  expect(await bench.row(id)).toMatchObject({ status: 'failed' })
  await until('the index forgets it', async () => (await bench.found('heron')).length === 0)
  await until('nothing is left to forget', async () => (await bench.records.queue.tombstones()).length === 0)
})

test('keeps the last version of a document that is replaced again and again while in progress', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  let id = ''
  for (let i = 0; i < 12; i++) id = (await bench.upload('a.txt', `Version unicorn${i}x of the text.`)).document.id
  await bench.settle(id)
  expect(await bench.row(id)).toMatchObject({ status: 'ready', version: 12 })
  expect(await bench.index().inventory()).toEqual(new Map([[id, { version: 12, chunks: 1 }]]))
  expect([await bench.found('unicorn10x'), await bench.found('unicorn11x')]).toEqual([[], ['a.txt']])
})

test('a deleted document leaves the index', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('a.txt', 'A heron.')
  await bench.ingested('b.txt', 'Another heron.')
  expect(await bench.ingest.deleteDocument(new Set(['prj_other']), id)).toBe(false)
  expect(await bench.ingest.deleteDocument(bench.visible, id)).toBe(true)
  await until('the document has left the index', async () => (await bench.records.queue.tombstones()).length === 0)
  expect(await bench.found('heron')).toEqual(['b.txt'])
  expect(await bench.ingest.deleteDocument(bench.visible, id)).toBe(false)
})

test('a deletion succeeds while the index fails, and the document leaves the index later', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('a.txt', 'A heron.')
  const remove = vi.spyOn(bench.index(), 'deleteDocuments').mockRejectedValueOnce(new Error('disk full'))
  onTestFinished(() => remove.mockRestore())
  expect(await bench.ingest.deleteDocument(bench.visible, id)).toBe(true)
  await until('the document has left the index', async () => (await bench.index().countPassages()) === 0)
})

test('a deletion does not wait for a busy index', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('a.txt', 'A heron.')
  const { promise: idle, resolve } = Promise.withResolvers<void>()
  const index = bench.index()
  const remove = index.deleteDocuments.bind(index)
  const busy = vi.spyOn(index, 'deleteDocuments').mockImplementationOnce(async (...args) => (await idle, remove(...args)))
  onTestFinished(() => busy.mockRestore())
  expect(await bench.ingest.deleteDocument(bench.visible, id)).toBe(true)
  expect(await index.countPassages()).toBe(1)
  resolve()
  await until('the document has left the index', async () => (await index.countPassages()) === 0)
})

test('leaves nothing of a document that is deleted while in progress', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const uploads = await Promise.all(Array.from({ length: 10 }, (_, i) => bench.upload(`${i}.txt`, `A heron, number ${i}.`)))
  await Promise.all(uploads.map(({ document }) => bench.ingest.deleteDocument(bench.visible, document.id)))
  const last = await bench.ingested('last.txt', 'The last heron.')
  await until('the index forgets them', async () => (await bench.found('heron')).length === 1)
  expect([...(await bench.index().inventory()).keys()]).toEqual([last.id])
})

test('deletes the documents of a deleted project', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  await bench.ingested('a.txt', 'A heron.')
  expect(await bench.ingest.deleteProject('prj_other')).toBeNull()
  expect(await bench.ingest.deleteProject(bench.project.id)).toBe(1)
  await until('the index forgets it', async () => (await bench.index().countPassages()) === 0)
})

test('reprocessing parses the original again', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('a.txt', 'A heron.')
  expect(await bench.ingest.reprocess(bench.visible, 'doc_none')).toBeNull()
  expect(await bench.ingest.reprocess(bench.visible, id)).toMatchObject({ version: 2, status: 'queued' })
  await bench.settle(id)
  expect(await bench.row(id)).toMatchObject({ status: 'ready', version: 2 })
  expect(await bench.index().countPassages()).toBe(1)
})

test('a document under a new name is found by the words and parts of this name, and by its new path', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const { id } = await bench.ingested('plans/egret.txt', 'The text speaks of herons.')
  await bench.ingest.deleteDocument(bench.visible, id)
  const renamed = await bench.ingested('archive/stork.txt', 'The text speaks of herons.')
  expect([await bench.found('egret'), await bench.found('stork')]).toEqual([[], ['archive/stork.txt']])
  const found = async (filter: object) =>
    (await keywordSearch(bench.index(), analyseQuery('heron'), { ...filter }, 10)).map((hit) => hit.documentId)
  expect([await found({ nameParts: ['egret'] }), await found({ nameParts: ['STORK'] })]).toEqual([[], [renamed.id]])
  expect([await found({ pathPrefix: 'plans/' }), await found({ pathPrefix: 'archive/' })]).toEqual([[], [renamed.id]])
})
