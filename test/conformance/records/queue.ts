import { describe, expect } from 'vitest'
import { MAX_TITLE_CHARS } from '../../../src/core/text-limits.ts'
import { errorCode, warningCode } from '../../support/codes.ts'
import { HEALTH, PARSED } from './fixtures.ts'
import type { DocumentsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

export function queueConformance(test: DocumentsTest): void {
  describe('the queue', () => {
    test('claims each document once, the oldest first', async ({ records, clock, add }) => {
      const ids: string[] = []
      for (let i = 0; i < 5; i++) {
        ids.push((await add({ path: `${i}` })).id)
        clock.advance(1)
      }
      const atOnce = await Promise.all([records.queue.claim(2), records.queue.claim(2), records.queue.claim(2)])
      const claims = atOnce.flat()
      // The order of simultaneous calls differs between databases.
      expect(claims.map((job) => job.documentId).toSorted()).toEqual(ids)
      for (const [first, second] of atOnce) expect(first!.documentId < (second?.documentId ?? '~')).toBe(true)
      expect(claims[0]).toMatchObject({
        version: 1,
        attempts: 0,
        hasPages: false,
        isNew: true,
        document: { status: 'processing' },
      })
      expect(await records.queue.claim(2)).toEqual([])
    })

    test('knows how long the oldest unfinished document has waited', async ({ records, bob, clock, add, claimOne }) => {
      expect(await records.queue.oldest()).toBeNull()
      const first = clock.now()
      await add({ path: 'first' })
      const job = await claimOne()
      clock.advance(10)
      const second = clock.now()
      const ofBob = await records.projects.create({ ownerId: bob, name: 'default', description: '' })
      await add({ path: 'second', projectId: ofBob.id, uploaderId: bob })
      expect(await records.queue.oldest()).toEqual(first)
      // A document that was tried comes after the others, and is still the oldest.
      await records.queue.release(job, { countAttempt: true })
      clock.advance(10)
      await add({ path: 'third' })
      expect(await records.queue.oldest()).toEqual(first)
      for (const job of (await records.queue.claim(3)).filter(({ document }) => document.path !== 'second'))
        await records.queue.fail(job, { code: errorCode('corrupt'), message: 'm' })
      expect(await records.queue.oldest()).toEqual(second)
    })

    test('takes a document from queued to ready, with pages, facts, counts and events', async ({
      records,
      clock,
      alice,
      add,
      claimOne,
      eventTypes,
    }) => {
      const { id } = await add()
      const job = await claimOne()
      expect(await records.queue.savePages(job, PARSED)).toEqual({ title: 'A title', tags: ['x', 'y'] })
      expect(await records.documents.pages(await visibleTo(records, alice), id)).toEqual(PARSED.pages)
      expect(await records.queue.beginIndexing([{ ...job, passages: 3 }])).toMatchObject({
        wanted: [{ documentId: id, version: 1 }],
        refused: [],
      })
      clock.advance(5)
      const warnings = [{ code: warningCode('chunk_not_embedded'), message: 'm' }]
      expect(await records.queue.finish([{ job, chunkCount: 4, chunksSkipped: 1, embeddingModel: 'builtin', warnings }])).toEqual(
        [],
      )
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({
        status: 'ready',
        readyAt: clock.now(),
        pageCount: 2,
        chunkCount: 4,
        embeddingModel: 'builtin',
        title: 'A title',
        warnings: [...PARSED.warnings, ...warnings],
        health: { ...HEALTH, chunksSkipped: 1 },
        parse: { engine: 'x' },
      })
      expect(await eventTypes()).toEqual(['document.queued', 'document.processing', 'document.ready'])
      expect(await records.queue.expected()).toEqual(new Map([[id, { version: 1, chunks: 4 }]]))
      expect(await records.queue.counts()).toEqual({ queued: 0, processing: 0, ready: 1, failed: 0 })
    })

    test('cuts a title to its limit, never within a character', async ({ records, alice, add, claimOne }) => {
      const { id } = await add()
      const saved = await records.queue.savePages(await claimOne(), { ...PARSED, title: `a${'😀'.repeat(500_000)}` })
      expect(saved!.title!.length).toBeLessThanOrEqual(MAX_TITLE_CHARS)
      expect(saved!.title).toMatch(/^a(😀)+…$/u)
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({ title: saved!.title })
    })

    test('takes the tags of the file until an upload names tags or the file has others', async ({
      records,
      alice,
      add,
      claimOne,
    }) => {
      const { id, path } = await add({ tags: null })
      const read = async (tags: string[]): Promise<string[]> => {
        const saved = await records.queue.savePages(await claimOne(), { ...PARSED, tags })
        expect((await records.documents.get(await visibleTo(records, alice), id))!.tags).toEqual(saved!.tags)
        return saved!.tags
      }
      expect(await read(['rent', 'home'])).toEqual(['rent', 'home'])
      await records.documents.requeue(await visibleTo(records, alice), id)
      expect(await read(['home'])).toEqual(['home'])
      // Another version of the parser reads the document again, although its pages are stored.
      await records.queue.recover()
      expect(await read(['home', 'lease'])).toEqual(['home', 'lease'])
      await add({ path, tags: null, sha256: 'b'.repeat(64) })
      expect(await read([])).toEqual([])
      await add({ path, tags: ['mine'], sha256: 'c'.repeat(64) })
      expect(await read(['rent'])).toEqual(['mine'])
      await records.documents.requeue(await visibleTo(records, alice), id)
      expect(await read(['rent'])).toEqual(['mine'])
    })

    test('drops results for a version that was replaced or deleted meanwhile', async ({
      records,
      alice,
      add,
      claimOne,
      eventTypes,
    }) => {
      const { id } = await add()
      const old = await claimOne()
      await add({ sha256: 'b'.repeat(64) })
      expect(await records.queue.savePages(old, PARSED)).toBeNull()
      expect(await records.queue.beginIndexing([{ ...old, passages: 3 }])).toEqual({ wanted: [], refused: [] })
      expect(
        await records.queue.finish([{ job: old, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'm', warnings: [] }]),
      ).toEqual([old])
      await records.queue.fail(old, { code: errorCode('corrupt'), message: 'x' })
      await records.queue.release(old, { countAttempt: true })
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({
        status: 'queued',
        version: 2,
        error: null,
      })
      const job = await claimOne()
      await records.documents.delete(await visibleTo(records, alice), id)
      expect(await records.queue.finish([{ job, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'm', warnings: [] }])).toEqual([
        job,
      ])
      expect((await eventTypes()).at(-1)).toBe('document.deleted')
    })
  })

  describe('the queue over time', () => {
    test('releases a document, and counts the attempt only on request', async ({ records, add, claimOne }) => {
      await add()
      await records.queue.release(await claimOne(), { countAttempt: false })
      const job = await claimOne()
      expect(job.attempts).toBe(0)
      await records.queue.release(job, { countAttempt: true })
      expect((await claimOne()).attempts).toBe(1)
    })

    test('queues documents again that were processing at a crash, behind documents not tried yet', async ({
      records,
      clock,
      add,
      claimOne,
    }) => {
      const { id } = await add()
      await claimOne()
      clock.advance(1)
      const other = await add({ path: 'b' })
      expect(await records.queue.recover()).toBe(1)
      const jobs = await records.queue.claim(2)
      expect(jobs.map((job) => [job.documentId, job.attempts])).toEqual([
        [other.id, 0],
        [id, 1],
      ])
    })

    test('queues documents again that are claimed, but that nobody works on', async ({ records, add, claimOne }) => {
      await add()
      const job = await claimOne()
      const other = await add({ path: 'b' })
      await claimOne()
      await add({ path: 'c' })
      expect(await records.queue.requeueLost([job.documentId])).toBe(1)
      expect(await records.queue.counts()).toMatchObject({ queued: 2, processing: 1 })
      const again = (await records.queue.claim(3)).find(({ documentId }) => documentId === other.id)
      // This process has not crashed.
      expect(again).toMatchObject({ attempts: 0 })
      expect(await records.queue.requeueLost([])).toBe(3)
    })

    test('knows that pages are stored, until the document is requeued', async ({ records, alice, add, claimOne }) => {
      const { id } = await add()
      const job = await claimOne()
      await records.queue.savePages(job, PARSED)
      await records.queue.recover()
      expect(await claimOne()).toMatchObject({ hasPages: true, version: 1 })
      expect(await records.documents.requeue(await visibleTo(records, alice), id)).toMatchObject({
        status: 'queued',
        version: 2,
        pageCount: null,
      })
      expect(await claimOne()).toMatchObject({ hasPages: false, version: 2 })
    })

    test('remembers after a crash that the index may hold passages of a document', async ({ records, add, claimOne }) => {
      await add()
      await records.queue.beginIndexing([{ ...(await claimOne()), passages: 3 }])
      await records.queue.recover()
      expect(await claimOne()).toMatchObject({ isNew: false })
    })

    test('leaves a tombstone when a replacement fails, and removes it when a later version is ready', async ({
      records,
      alice,
      add,
      claimOne,
      makeReady,
    }) => {
      const { id } = await add()
      await makeReady()
      await add({ sha256: 'b'.repeat(64) })
      await records.queue.fail(await claimOne(), { code: errorCode('corrupt'), message: 'x' })
      expect(await records.queue.tombstones()).toEqual([id])
      expect(await records.queue.unknown([id])).toEqual([id])
      await records.documents.requeue(await visibleTo(records, alice), id)
      expect(await records.queue.unknown([id])).toEqual([])
      await makeReady()
      expect(await records.queue.tombstones()).toEqual([])
    })

    test('queues all documents for a new index with their pages, and drops results of work under way', async ({
      records,
      add,
      claimOne,
      makeReady,
    }) => {
      const ready = await add()
      await makeReady()
      await add({ path: 'b' })
      const underWay = await claimOne()
      expect(await records.queue.requeueAll()).toBe(2)
      expect(
        await records.queue.finish([{ job: underWay, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'm', warnings: [] }]),
      ).toEqual([underWay])
      const jobs = await records.queue.claim(5)
      expect(jobs.find((job) => job.documentId === ready.id)).toMatchObject({
        version: 2,
        hasPages: true,
        isNew: true,
        document: { title: 'A title', pageCount: 2 },
      })
    })

    test('queues ready documents again that the index has lost, and no others', async ({ records, alice, add, makeReady }) => {
      const { id } = await add()
      await makeReady()
      const other = await add({ path: 'b' })
      await records.queue.requeueMany([id, other.id, 'doc_none'])
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({ status: 'queued' })
      expect(await records.documents.get(await visibleTo(records, alice), other.id)).toMatchObject({ version: 1 })
      expect(await records.queue.expected()).toEqual(new Map())
    })
  })
}
