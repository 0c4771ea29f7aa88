import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DocumentRecord } from '../../../src/core/model.ts'
import type { IndexedPassage } from '../../../src/core/passage.ts'
import { PARSER_VERSION } from '../../../src/parse/parser.ts'
import { openBench } from './harness.ts'
import type { Bench } from './harness.ts'
import { errorCode } from '../../support/codes.ts'
import { keywordSearch } from '../../support/search-index.ts'
import { visibleTo } from '../../support/visible.ts'

/** A closed data folder with two documents in the index. */
async function filled(): Promise<{ folder: string; ids: string[] }> {
  const bench = await openBench()
  await bench.ingest.start()
  const a = await bench.ingested('a.txt', 'The first heron.')
  const b = await bench.ingested('b.txt', 'The second heron.')
  await bench.close()
  return { folder: bench.folder, ids: [a.id, b.id] }
}

async function expectBothFoundOnce(bench: Bench, ids: string[]): Promise<void> {
  await bench.settle(...ids)
  expect(await bench.found('heron')).toEqual(['a.txt', 'b.txt'])
  expect(await bench.index().countPassages()).toBe(2)
  expect(await bench.records.queue.counts()).toMatchObject({ ready: 2, queued: 0, processing: 0 })
}

/** Returns the first passage of a document of one version, as the index stores it. */
async function storedPassage(bench: Bench, document: DocumentRecord): Promise<IndexedPassage> {
  const { id, ownerId, projectId, mediaType, name, path, tags, createdAt } = document
  const hits = await keywordSearch(bench.index(), ['heron'], { documentIds: [id] }, 1)
  const passage = [...(await bench.index().passages(hits.map((hit) => hit.row))).values()][0]!
  const filters = { ownerId, projectId, mediaType, name, path, tags, documentCreatedAt: createdAt }
  const terms = { terms: 'first heron', titleTerms: 0, headingTerms: 0, nameTerms: '', language: 0 }
  return { ...passage, ...filters, ...terms, textHash: 'heron', vector: null }
}

test('finishes a document that was in progress when the server died', async () => {
  const before = await openBench()
  const { document } = await before.upload('a.txt', 'A heron.')
  await before.records.queue.claim(1)
  await before.close()
  const after = await openBench({ folder: before.folder })
  await after.ingest.start()
  await after.settle(document.id)
  expect(await after.found('heron')).toEqual(['a.txt'])
})

test('passages that reached the index before their row said so are not indexed twice', async () => {
  const { folder, ids } = await filled()
  const between = await openBench({ folder })
  await between.records.documents.requeue(await visibleTo(between.records, between.owner.id), ids[0]!)
  const [job] = await between.records.queue.claim(1)
  await between.records.queue.beginIndexing([{ ...job!, passages: 1 }])
  const stored = await storedPassage(between, job!.document)
  await between.index().put([{ documentId: ids[0]!, isNew: false, passages: [{ ...stored, version: 2, id: `${ids[0]}:2:0` }] }])
  await between.close()
  const after = await openBench({ folder })
  await after.ingest.start()
  await expectBothFoundOnce(after, ids)
})

test('cuts a document again whose passage is longer than passages may be', async () => {
  const { folder, ids } = await filled()
  const between = await openBench({ folder })
  const document = (await between.records.documents.get(await visibleTo(between.records, between.owner.id), ids[0]!))!
  const text = 'heron '.repeat(1_000)
  const long = { ...(await storedPassage(between, document)), text, charStart: 0, charEnd: text.length }
  await between.index().put([{ documentId: ids[0]!, isNew: false, passages: [long] }])
  await between.close()
  // An earlier version wrote such passages, and no segments.
  await rm(join(folder, 'segments'), { recursive: true })
  const after = await openBench({ folder })
  await after.ingest.start()
  await expectBothFoundOnce(after, ids)
  const [hit] = await keywordSearch(after.index(), ['first'], {}, 1)
  const passage = (await after.index().passages([hit!.row])).get(hit!.row)
  expect(passage?.text).toBe('The first heron.')
})

test('restores what the index has lost from the stored texts, without the originals', async () => {
  const { folder, ids } = await filled()
  await rm(join(folder, 'blobs'), { recursive: true })
  const between = await openBench({ folder })
  await between.index().deleteDocuments([ids[0]!])
  await between.close()
  const after = await openBench({ folder })
  await after.ingest.start()
  await expectBothFoundOnce(after, ids)
})

test('deletes the passages of a document that no longer exists', async () => {
  const { folder, ids } = await filled()
  const between = await openBench({ folder })
  // As if the server had died right after it deleted the row.
  await between.records.documents.delete(await visibleTo(between.records, between.owner.id), ids[0]!)
  await between.close()
  const other = await openBench({ folder })
  await other.records.queue.clearTombstones([ids[0]!])
  await other.close()
  const after = await openBench({ folder })
  await after.ingest.start()
  expect([...(await after.index().inventory()).keys()]).toEqual([ids[1]])
})

test('rebuilds the index when its folder is missing', async () => {
  const { folder, ids } = await filled()
  await rm(join(folder, 'lance'), { recursive: true })
  const after = await openBench({ folder })
  await after.ingest.start()
  await expectBothFoundOnce(after, ids)
})

test.each(['_versions', 'data'])('rebuilds the index when a file in %s is damaged, and health says so', async (part) => {
  const { folder, ids } = await filled()
  const tables = async () => (await readdir(join(folder, 'lance'))).filter((name) => name.endsWith('.lance'))
  const [table] = await tables()
  const damaged = join(folder, 'lance', table!, part)
  for (const name of await readdir(damaged)) await truncate(join(damaged, name), 0)
  const after = await openBench({ folder })
  await after.ingest.start()
  await expectBothFoundOnce(after, ids)
  expect((await after.lifecycle.status()).index.message).toContain('rebuilt')
  const [rebuilt, ...others] = await tables()
  expect(others).toEqual([])
  await after.close()
  const checksums = rebuilt!.replace(/\.lance$/, '.checksums')
  expect((await readdir(join(folder, 'lance'))).toSorted()).toEqual([checksums, rebuilt])
})

test('deletes incomplete uploads, and originals without a document', async () => {
  const { folder, ids } = await filled()
  const between = await openBench({ folder })
  await between.records.documents.delete(await visibleTo(between.records, between.owner.id), ids[0]!)
  await between.close()
  await writeFile(join(folder, 'incoming', 'half'), 'half')
  const after = await openBench({ folder })
  const sweep = await after.blobs.sweep((sha256) => after.records.documents.isBlobReferenced(sha256))
  expect([sweep, await readdir(after.blobs.incoming)]).toEqual([1, []])
})

test('gives up a document over which the server died again and again, and no other', async () => {
  const bench = await openBench()
  const { document } = await bench.upload('a.txt', 'A heron.')
  for (let i = 0; i < 10; i++) {
    await bench.records.queue.claim(1)
    await bench.records.queue.recover()
  }
  await bench.ingest.start()
  const good = await bench.ingested('b.txt', 'Another heron.')
  await bench.settle(document.id)
  expect(await bench.row(document.id)).toMatchObject({ status: 'failed', error: { code: errorCode('crashed_daemon') } })
  expect(good.status).toBe('ready')
})

test('a rebuild parses a document again when another parser version read it, and only then', async () => {
  const { folder, ids } = await filled()
  const [old, current] = ids as [string, string]
  const between = await openBench({ folder })
  await between.records.documents.requeue(await visibleTo(between.records, between.owner.id), old)
  const [job] = await between.records.queue.claim(1)
  const page = (text: string) => [{ number: 1, text, blocks: [{ kind: 'paragraph' as const, start: 0, end: text.length }] }]
  const health = { pages: 1, pagesWithText: 1, pagesWithoutText: 0, chunksSkipped: 0 }
  const parsed = { pages: page('As it was read once.'), title: null, pageCount: 1, warnings: [], health }
  await between.records.queue.savePages(job!, { ...parsed, facts: { parser_version: PARSER_VERSION - 1 } })
  await between.records.queue.finish([{ job: job!, chunkCount: 0, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }])
  // Without its original, this document can come back only from its stored pages.
  const kept = await between.records.documents.pages(await visibleTo(between.records, between.owner.id), current)
  expect(kept).not.toBeNull()
  await between.blobs.withFile((await between.row(current)).sha256, (file) => rm(file))
  await between.records.indexes.clear()
  await between.close()
  const after = await openBench({ folder })
  await after.ingest.start()
  await expectBothFoundOnce(after, ids)
  expect(await after.found('once')).toEqual([])
  expect((await after.row(old)).parse).toMatchObject({ parser_version: PARSER_VERSION })
  expect(await after.records.documents.pages(await visibleTo(after.records, after.owner.id), old)).toMatchObject([
    { text: 'The first heron.' },
  ])
  expect(await after.records.documents.pages(await visibleTo(after.records, after.owner.id), current)).toEqual(kept)
})
