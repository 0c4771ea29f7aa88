import { beforeEach, describe, expect, test } from 'vitest'
import type { DocumentRecord } from '../../src/core/model.ts'
import type { IndexedDocument, Records } from '../../src/records/records.ts'
import { testClock } from '../support/test-clock.ts'
import type { RecordsUnderTest } from './records.ts'
import { warningCode } from '../support/codes.ts'

const BUILTIN = { fingerprint: 'b', embeddingModel: 'builtin', dimensions: 4 }
const OTHER = { fingerprint: 'o', embeddingModel: 'ollama:o', dimensions: 8 }
const HEALTH = { pages: 1, pagesWithText: 1, pagesWithoutText: 0, chunksSkipped: 0 }
const SKIPPED = { code: warningCode('chunk_not_embedded'), message: 'one of two' }

/** Several indexes beside each other: what each lacks, and the one moment in which they change places. */
export function indexesConformance({ open }: RecordsUnderTest): void {
  describe('indexes', () => {
    let records: Records
    let ownerId: string
    let projectId: string

    beforeEach(async () => {
      records = await open(testClock())
      ownerId = (await records.users.create({ name: 'A', email: null, role: 'owner' })).id
      projectId = (await records.projects.create({ ownerId, name: 'default', description: '' })).id
      await records.indexes.activate(BUILTIN)
    })

    const register = async (path: string, sha256 = 'a') => {
      const facts = { name: path, path, mediaType: 'text/plain', sizeBytes: 1, sha256: sha256.repeat(64), tags: [] }
      return (await records.documents.register({ ownerId, projectId, ...facts }, 'replace')).document
    }
    const finish = async (chunks: number, chunksSkipped = 0) => {
      const job = (await records.queue.claim(1))[0]!
      const parsed = {
        pages: [],
        title: null,
        pageCount: 1,
        warnings: [{ code: warningCode('no_text'), message: 'of the parser' }],
      }
      await records.queue.savePages(job, { ...parsed, health: HEALTH, facts: {} })
      await records.queue.beginIndexing([job])
      const warnings = chunksSkipped > 0 ? [SKIPPED] : []
      await records.queue.finish([{ job, chunkCount: chunks, chunksSkipped, embeddingModel: 'builtin', warnings }])
      return job
    }
    const ready = async (path: string, chunks = 2, skipped = 0) => {
      const { id } = await register(path)
      await finish(chunks, skipped)
      return id
    }
    const entry = (documentId: string, change: Partial<IndexedDocument> = {}): IndexedDocument => ({
      documentId,
      version: 1,
      chunks: 3,
      chunksSkipped: 0,
      warnings: [],
      ...change,
    })
    const row = async (id: string) => (await records.documents.get(ownerId, id)) as DocumentRecord
    const missing = async (id: string, after = '') =>
      (await records.indexes.missing(id, { after, limit: 10 })).map((document) => document.id)
    const states = async () =>
      (await records.indexes.all()).map(({ embeddingModel, state }) => `${embeddingModel} ${state}`).toSorted()

    test('one that is begun lacks every ready document with passages, and is told what it has', async () => {
      const [a, b] = [await ready('a'), await ready('b')]
      await ready('empty', 0)
      await register('queued')
      const { id } = await records.indexes.build(OTHER)
      expect(await missing(id)).toEqual([a, b].toSorted())
      expect(await records.indexes.progress(id)).toEqual({ done: 0, total: 2 })
      await records.indexes.record(id, [entry(a)])
      expect(await missing(id)).toEqual([b])
      expect(await missing(id, b)).toEqual([])
      expect(await records.indexes.contents(id)).toEqual(new Map([[a, { version: 1, chunks: 3 }]]))
      expect(await records.indexes.progress(id)).toEqual({ done: 1, total: 2 })
      await records.indexes.forget(id, [a])
      expect((await missing(id)).length).toBe(2)
    })

    test('a replaced document is missing again, a deleted one is not asked for and leaves no row', async () => {
      const [a, b] = [await ready('a'), await ready('b')]
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a), entry(b)])
      await register('a', 'c')
      await finish(1)
      expect(await missing(id)).toEqual([a])
      expect(await records.indexes.wanted([{ documentId: a, version: 1 }])).toEqual(new Set())
      expect(await records.indexes.wanted([{ documentId: a, version: 2 }])).toEqual(new Set([a]))
      await records.documents.delete(ownerId, b)
      expect((await records.indexes.contents(id)).has(b)).toBe(false)
      // One that goes between the commit to the index and this call.
      await records.indexes.record(id, [entry(b)])
      expect((await records.indexes.contents(id)).has(b)).toBe(false)
    })

    test('the switch waits until nothing is missing; then rows, counts and warnings are those of the next, and back again', async () => {
      const [a, b] = [await ready('a', 2, 1), await ready('b')]
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a)])
      const options = { waitForReplaced: true }
      expect(await records.indexes.switchTo(id, options)).toBe(false)
      expect(await row(a)).toMatchObject({ embeddingModel: 'builtin', chunkCount: 2 })
      await records.indexes.record(id, [entry(b, { chunks: 5, chunksSkipped: 2, warnings: [SKIPPED] })])
      expect(await records.indexes.switchTo(id, options)).toBe(true)
      expect(await row(a)).toMatchObject({
        embeddingModel: 'ollama:o',
        chunkCount: 3,
        health: { pages: 1, chunksSkipped: 0 },
        warnings: [{ code: warningCode('no_text') }],
      })
      expect(await row(b)).toMatchObject({
        chunkCount: 5,
        health: { chunksSkipped: 2 },
        warnings: [{ code: warningCode('no_text') }, SKIPPED],
      })
      expect(await row(b)).toMatchObject({
        chunkCount: 5,
        health: { chunksSkipped: 2 },
        warnings: [{ code: warningCode('no_text') }, SKIPPED],
      })
      expect(await states()).toEqual(['builtin retired', 'ollama:o active'])
      const kept = (await records.indexes.all()).find(({ state }) => state === 'retired')!
      expect((await records.indexes.resume(kept.id))?.state).toBe('building')
      expect(await missing(kept.id)).toEqual([])
      expect(await records.indexes.switchTo(kept.id, options)).toBe(true)
      expect(await row(a)).toMatchObject({ embeddingModel: 'builtin', chunkCount: 2, health: { chunksSkipped: 1 } })
      expect((await row(a)).warnings).toEqual([{ code: warningCode('no_text'), message: 'of the parser' }, SKIPPED])
      expect(await row(b)).toMatchObject({ chunkCount: 2, health: { chunksSkipped: 0 } })
    })

    test('a document whose replacement is under way is not lost by the switch, unless nobody waits for it', async () => {
      const a = await ready('a')
      const { id } = await records.indexes.build(OTHER)
      await register('a', 'c')
      expect(await missing(id)).toEqual([])
      expect(await records.indexes.switchTo(id, { waitForReplaced: true })).toBe(false)
      await finish(1)
      await records.indexes.record(id, [entry(a, { version: 2 })])
      await register('a', 'd')
      // Its version before is in both.
      expect(await records.indexes.switchTo(id, { waitForReplaced: true })).toBe(true)
      const { id: third } = await records.indexes.build({ ...OTHER, embeddingModel: 'ollama:third' })
      expect(await records.indexes.switchTo(third, { waitForReplaced: false })).toBe(true)
    })

    test('what the model could do nothing with is queued anew at the switch, and told', async () => {
      const a = await ready('a')
      const { id } = await records.indexes.build(OTHER)
      await records.indexes.record(id, [entry(a, { chunks: null })])
      expect(await missing(id)).toEqual([])
      expect(await records.indexes.contents(id)).toEqual(new Map())
      expect(await records.indexes.switchTo(id, { waitForReplaced: true })).toBe(true)
      expect(await row(a)).toMatchObject({ status: 'queued', version: 2 })
      expect((await records.events.since(ownerId, 0, 100)).at(-1)).toMatchObject({ type: 'document.queued', documentId: a })
    })

    test('the same model anew takes the place of its former index; another begun takes the place of one being built', async () => {
      const { id } = await records.indexes.build({ ...BUILTIN, fingerprint: 'newer' })
      await records.indexes.switchTo(id, { waitForReplaced: true })
      expect(await states()).toEqual(['builtin active'])
      await records.indexes.build(OTHER)
      await records.indexes.build({ ...OTHER, embeddingModel: 'ollama:third' })
      expect(await states()).toEqual(['builtin active', 'ollama:third building'])
    })

    test('canary vectors and the choice are kept; clear forgets every index and not the choice', async () => {
      const { id } = (await records.indexes.active())!
      expect(await records.indexes.canaries(id)).toBeNull()
      await records.indexes.setCanaries(id, [Float32Array.of(0.25, -1)])
      expect(await records.indexes.canaries(id)).toEqual([Float32Array.of(0.25, -1)])
      expect(await records.indexes.chosen()).toBeNull()
      await records.indexes.choose('ollama:o')
      await records.indexes.choose('builtin')
      await records.indexes.clear()
      expect([await records.indexes.all(), await records.indexes.chosen()]).toEqual([[], 'builtin'])
      await records.indexes.choose(null)
      expect(await records.indexes.chosen()).toBeNull()
    })
  })
}
