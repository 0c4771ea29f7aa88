import { describe, expect } from 'vitest'
import type { DocumentRecord } from '../../../src/core/model.ts'
import type { IndexedDocument } from '../../../src/records/indexes.ts'
import { warningCode } from '../../support/codes.ts'
import { HEALTH } from './fixtures.ts'
import type { EmptyRecordsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

const BUILTIN = { fingerprint: 'b', embeddingModel: 'builtin', dimensions: 4 }
const OTHER = { fingerprint: 'o', embeddingModel: 'ollama:o', dimensions: 8 }
const SKIPPED = { code: warningCode('chunk_not_embedded'), message: 'one of two' }
const NO_TEXT = { code: warningCode('no_text'), message: 'of the parser' }

const entry = (documentId: string, change: Partial<IndexedDocument> = {}): IndexedDocument => ({
  documentId,
  version: 1,
  chunks: 3,
  chunksSkipped: 0,
  warnings: [],
  ...change,
})

/** Tests get an owner with a project, and an active index. */
function indexesTest(base: EmptyRecordsTest) {
  return base
    .extend('ownerId', { auto: true }, async ({ records }) => {
      await records.indexes.activate(BUILTIN)
      return (await records.users.create({ name: 'A', email: null, role: 'owner' })).id
    })
    .extend('register', async ({ records, ownerId }) => {
      const { id: projectId } = await records.projects.create({ ownerId, name: 'default', description: '' })
      return async (path: string, sha256 = 'a') => {
        const facts = { name: path, path, mediaType: 'text/plain', sizeBytes: 1, sha256: sha256.repeat(64), tags: [] }
        return (await records.documents.register({ uploaderId: ownerId, projectId, ...facts }, 'replace')).document
      }
    })
    .extend('finish', ({ records }) => async (chunks: number, chunksSkipped = 0) => {
      const job = (await records.queue.claim(1))[0]!
      const parsed = { pages: [], title: null, pageCount: 1, warnings: [NO_TEXT] }
      await records.queue.savePages(job, { ...parsed, health: HEALTH, facts: {} })
      await records.queue.beginIndexing([{ ...job, passages: 3 }])
      const warnings = chunksSkipped > 0 ? [SKIPPED] : []
      await records.queue.finish([{ job, chunkCount: chunks, chunksSkipped, embeddingModel: 'builtin', warnings }])
      return job
    })
    .extend('ready', ({ register, finish }) => async (path: string, chunks = 2, skipped = 0) => {
      const { id } = await register(path)
      await finish(chunks, skipped)
      return id
    })
    .extend(
      'row',
      ({ records, ownerId }) =>
        async (id: string) =>
          (await records.documents.get(await visibleTo(records, ownerId), id)) as DocumentRecord,
    )
    .extend('missing', ({ records }) => async (id: string, after = '') => {
      return (await records.indexes.missing(id, { after, limit: 10 })).map((document) => document.id)
    })
    .extend('states', ({ records }) => async () => {
      return (await records.indexes.all()).map(({ embeddingModel, state }) => `${embeddingModel} ${state}`).toSorted()
    })
}

export function indexesConformance(base: EmptyRecordsTest): void {
  const test = indexesTest(base)
  describe('indexes', () => {
    test('lacks every ready document with passages until it records them', async ({ records, register, ready, missing }) => {
      const [a, b] = [await ready('a'), await ready('b')]
      await ready('empty', 0)
      await register('queued')
      const { id } = await records.indexes.build(OTHER)
      expect(await missing(id)).toEqual([a, b].toSorted())
      expect(await records.indexes.progress(id)).toEqual({ done: 0, total: 2, passagesDone: 0, passagesTotal: 4 })
      await records.indexes.record(id, [entry(a)])
      expect(await missing(id)).toEqual([b])
      expect(await missing(id, b)).toEqual([])
      expect(await records.indexes.contents(id)).toEqual(new Map([[a, { version: 1, chunks: 3 }]]))
      expect(await records.indexes.progress(id)).toEqual({ done: 1, total: 2, passagesDone: 3, passagesTotal: 5 })
      await records.indexes.forget(id, [a])
      expect((await missing(id)).length).toBe(2)
    })

    test('counts documents and passages of one owner', async ({ records, ownerId, ready, missing }) => {
      const [a] = [await ready('a'), await ready('b')]
      const { id } = await records.indexes.build(OTHER)
      expect(await records.indexes.countPassages(id, await visibleTo(records, ownerId))).toBe(0)
      await records.indexes.record(id, [entry(a)])
      const active = (await records.indexes.active())!.id
      const other = (await records.users.create({ name: 'B', email: null, role: 'member' })).id
      expect(await missing(id)).toHaveLength(1)
      for (const [owner, progress, passages] of [
        [ownerId, { done: 1, total: 2, passagesDone: 3, passagesTotal: 5 }, [3, 4]],
        [other, { done: 0, total: 0, passagesDone: 0, passagesTotal: 0 }, [0, 0]],
      ] as const) {
        expect(await records.indexes.progress(id, await visibleTo(records, owner))).toEqual(progress)
        const counted = [
          await records.indexes.countPassages(id, await visibleTo(records, owner)),
          await records.indexes.countPassages(active, await visibleTo(records, owner)),
        ]
        expect(counted).toEqual(passages)
      }
      const none = { queued: 0, processing: 0, ready: 0, failed: 0 }
      expect([
        await records.queue.counts(await visibleTo(records, ownerId)),
        await records.queue.counts(await visibleTo(records, other)),
      ]).toEqual([{ ...none, ready: 2 }, none])
    })

    test('lacks a replaced document again, and forgets a deleted one', async ({
      records,
      ownerId,
      register,
      finish,
      ready,
      missing,
    }) => {
      const [a, b] = [await ready('a'), await ready('b')]
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a), entry(b)])
      await register('a', 'c')
      await finish(1)
      expect(await missing(id)).toEqual([a])
      expect(await records.indexes.wanted([{ documentId: a, version: 1 }])).toEqual(new Set())
      expect(await records.indexes.wanted([{ documentId: a, version: 2 }])).toEqual(new Set([a]))
      await records.documents.delete(await visibleTo(records, ownerId), b)
      expect((await records.indexes.contents(id)).has(b)).toBe(false)
      // The document was deleted between the commit to the index and this call.
      await records.indexes.record(id, [entry(b)])
      expect((await records.indexes.contents(id)).has(b)).toBe(false)
    })

    test('becomes active once nothing is missing, with its counts and warnings in the rows, and can be switched back', async ({
      records,
      ready,
      row,
      missing,
      states,
    }) => {
      const [a, b] = [await ready('a', 2, 1), await ready('b')]
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a)])
      const options = { waitForReplaced: true, parserVersion: 0 }
      expect(await records.indexes.switchTo(id, options)).toBe(false)
      expect(await row(a)).toMatchObject({ embeddingModel: 'builtin', chunkCount: 2 })
      await records.indexes.record(id, [entry(b, { chunks: 5, chunksSkipped: 2, warnings: [SKIPPED] })])
      expect(await records.indexes.switchTo(id, options)).toBe(true)
      expect(await row(a)).toMatchObject({
        embeddingModel: 'ollama:o',
        chunkCount: 3,
        health: { pages: 1, chunksSkipped: 0 },
        warnings: [NO_TEXT],
      })
      expect(await row(b)).toMatchObject({
        chunkCount: 5,
        health: { chunksSkipped: 2 },
        warnings: [NO_TEXT, SKIPPED],
      })
      expect(await row(b)).toMatchObject({
        chunkCount: 5,
        health: { chunksSkipped: 2 },
        warnings: [NO_TEXT, SKIPPED],
      })
      expect(await states()).toEqual(['builtin retired', 'ollama:o active'])
      const retired = (await records.indexes.all()).find(({ state }) => state === 'retired')!
      expect((await records.indexes.resume(retired.id))?.state).toBe('building')
      expect(await missing(retired.id)).toEqual([])
      expect(await records.indexes.switchTo(retired.id, options)).toBe(true)
      expect(await row(a)).toMatchObject({ embeddingModel: 'builtin', chunkCount: 2, health: { chunksSkipped: 1 } })
      expect((await row(a)).warnings).toEqual([NO_TEXT, SKIPPED])
      expect(await row(b)).toMatchObject({ chunkCount: 2, health: { chunksSkipped: 0 } })
    })
  })

  describe('switching to a building index', () => {
    test('waits for a document that is being replaced, unless told not to', async ({
      records,
      register,
      finish,
      ready,
      missing,
    }) => {
      const a = await ready('a')
      const { id } = await records.indexes.build(OTHER)
      await register('a', 'c')
      expect(await missing(id)).toEqual([])
      expect(await records.indexes.switchTo(id, { waitForReplaced: true, parserVersion: 0 })).toBe(false)
      await finish(1)
      await records.indexes.record(id, [entry(a, { version: 2 })])
      await register('a', 'd')
      // Both indexes have the former version of the document.
      expect(await records.indexes.switchTo(id, { waitForReplaced: true, parserVersion: 0 })).toBe(true)
      const { id: third } = await records.indexes.build({ ...OTHER, embeddingModel: 'ollama:third' })
      expect(await records.indexes.switchTo(third, { waitForReplaced: false, parserVersion: 0 })).toBe(true)
    })

    test('queues documents again at the switch that its embedder could not embed', async ({
      records,
      ownerId,
      ready,
      row,
      missing,
    }) => {
      const a = await ready('a')
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a, { chunks: null })])
      expect(await missing(id)).toEqual([])
      expect(await records.indexes.contents(id)).toEqual(new Map())
      expect(await records.indexes.switchTo(id, { waitForReplaced: true, parserVersion: 0 })).toBe(true)
      expect(await row(a)).toMatchObject({ status: 'queued', version: 2 })
      expect((await records.events.since(await visibleTo(records, ownerId), 0, 100)).at(-1)).toMatchObject({
        type: 'document.queued',
        documentId: a,
      })
    })

    test('queues documents at the switch that another version of the parsers has read', async ({ records, ready, row }) => {
      const a = await ready('a')
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a)])
      expect(await records.indexes.switchTo(id, { waitForReplaced: true, parserVersion: 7 })).toBe(true)
      expect(await row(a)).toMatchObject({ status: 'queued', version: 2 })
    })

    test('the same index takes another fingerprint, and such documents are queued', async ({ records, ready, row }) => {
      const a = await ready('a')
      const { id } = await records.indexes.activate(BUILTIN)
      expect(await records.indexes.adopt(id, { fingerprint: 'newer', parserVersion: 0 })).toBe(0)
      expect(await row(a)).toMatchObject({ status: 'ready' })
      expect(await records.indexes.adopt(id, { fingerprint: 'newest', parserVersion: 7 })).toBe(1)
      expect(await row(a)).toMatchObject({ status: 'queued', version: 2 })
      expect(await records.indexes.active()).toMatchObject({ id, fingerprint: 'newest' })
    })

    test('replaces the former index of the same model, and another building index', async ({ records, states }) => {
      const { id } = await records.indexes.build({ ...BUILTIN, fingerprint: 'newer' })
      await records.indexes.switchTo(id, { waitForReplaced: true, parserVersion: 0 })
      expect(await states()).toEqual(['builtin active'])
      await records.indexes.build(OTHER)
      await records.indexes.build({ ...OTHER, embeddingModel: 'ollama:third' })
      expect(await states()).toEqual(['builtin active', 'ollama:third building'])
    })

    test('keeps what was measured with a model and the chosen embedder, which clearing the indexes does not change', async ({
      records,
    }) => {
      const { id } = (await records.indexes.active())!
      expect(await records.indexes.measurements(id)).toBeNull()
      const canaries = [Float32Array.of(0.25, -1)]
      for (const unrelatedSimilarity of [null, { mean: 0.125, deviation: 0.07 }]) {
        await records.indexes.setMeasurements(id, { canaries, unrelatedSimilarity })
        expect(await records.indexes.measurements(id)).toEqual({ canaries, unrelatedSimilarity })
      }
      expect(await records.indexes.chosen()).toBeNull()
      await records.indexes.choose('ollama:o')
      await records.indexes.choose('builtin')
      await records.indexes.clear()
      expect([await records.indexes.all(), await records.indexes.chosen()]).toEqual([[], 'builtin'])
      await records.indexes.choose(null)
      expect(await records.indexes.chosen()).toBeNull()
    })
  })

  describe('the active index', () => {
    base('forgets the active index when another one is activated', async ({ records }) => {
      expect(await records.indexes.active()).toBeNull()
      await records.indexes.activate({ fingerprint: 'a', embeddingModel: 'builtin', dimensions: 4 })
      const second = await records.indexes.activate({ fingerprint: 'b', embeddingModel: 'builtin', dimensions: 8 })
      expect(await records.indexes.active()).toEqual(second)
      await records.indexes.clear()
      expect(await records.indexes.active()).toBeNull()
    })
  })
}
