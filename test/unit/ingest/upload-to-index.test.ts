import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openBench } from './harness.ts'
import { errorCode } from '../../support/codes.ts'
import { keywordSearch } from '../../support/search-index.ts'
import { visibleTo } from '../../support/visible.ts'

test('an upload becomes ready, and its passages are in the index with all fields', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const document = await bench.ingested('notes.txt', 'The heron stands in the water.\n')
  expect(document).toMatchObject({
    status: 'ready',
    mediaType: 'text/plain',
    pageCount: 1,
    chunkCount: 1,
    embeddingModel: 'builtin',
    error: null,
  })
  const [hit] = await keywordSearch(bench.index(), ['heron'], { tags: ['t'] }, 10)
  expect([hit!.id, hit!.documentId]).toEqual([`${document.id}:1:0`, document.id])
  const passages = await bench.index().passages([hit!.row])
  expect(passages.get(hit!.row)).toMatchObject({
    title: 'notes.txt',
    text: 'The heron stands in the water.',
    pageStart: 1,
    charStart: 0,
  })
  expect(await bench.ingest.status()).toMatchObject({ status: 'ok', queued: 0, processing: 0 })
})

test('many uploads at once all become ready, and each is found once', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const names = Array.from({ length: 40 }, (_, i) => `${i}.txt`)
  const uploads = await Promise.all(names.map((name, i) => bench.upload(name, `The number is unicorn${i}x and nothing else.`)))
  await bench.settle(...uploads.map(({ document }) => document.id))
  expect(await bench.records.queue.counts()).toEqual({ queued: 0, processing: 0, ready: 40, failed: 0 })
  expect(await bench.index().countPassages()).toBe(40)
  expect(await bench.found('unicorn17x')).toEqual(['17.txt'])
})

test('a document without text becomes ready with a warning', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const document = await bench.ingested('blank.txt', ' \n \n')
  expect(document).toMatchObject({ status: 'ready', chunkCount: 0, health: { pagesWithText: 0 } })
  expect(document.warnings.map((warning) => warning.code)).toContain('no_text')
})

test('a document that cannot be parsed fails with a code, and the others become ready', async () => {
  const bench = await openBench()
  await bench.ingest.start()
  const [broken, good] = await Promise.all([
    bench.upload('broken.pdf', '%PDF-1.7\nnothing of a PDF'),
    bench.upload('good.txt', 'A heron.'),
  ])
  await bench.settle(broken.document.id, good.document.id)
  const row = await bench.row(broken.document.id)
  expect(row).toMatchObject({ status: 'failed', error: { code: errorCode('corrupt') } })
  expect(await bench.found('heron')).toEqual(['good.txt'])
})

test.each([
  ['empty.txt', '', errorCode('empty_file')],
  ['picture.pdf', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), errorCode('unsupported_type')],
] as const)('refuses %s at once, and leaves nothing behind', async (name, content, code) => {
  const bench = await openBench()
  await bench.ingest.start()
  await expect(bench.upload(name, content)).rejects.toMatchObject({ code: errorCode(code) })
  expect(await readdir(bench.blobs.incoming)).toEqual([])
  expect((await bench.records.documents.list(await visibleTo(bench.records, bench.owner.id), { limit: 10 })).items).toEqual([])
})
