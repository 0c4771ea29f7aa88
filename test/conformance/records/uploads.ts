import { describe, expect } from 'vitest'
import type { OnConflict } from '../../../src/records/documents.ts'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

/** Tests of Documents.register. */
export function uploadsConformance(test: DocumentsTest): void {
  describe('uploads', () => {
    test('queues a new document with everything that the upload said', async ({ records, alice, upload, eventTypes }) => {
      const { document, outcome } = await records.documents.register(upload(), 'replace')
      expect(outcome).toBe('created')
      const { uploaderId, ...facts } = upload()
      expect(document).toMatchObject({
        ...facts,
        ownerId: uploaderId,
        projectName: 'default',
        status: 'queued',
        version: 1,
        error: null,
        warnings: [],
        parse: {},
      })
      expect(await records.documents.get(await visibleTo(records, alice), document.id)).toEqual(document)
      expect(await eventTypes()).toEqual(['document.queued'])
    })

    test('reports the same bytes at the same path as unchanged, also in uploads at the same time', async ({
      records,
      upload,
      eventTypes,
    }) => {
      const results = await Promise.all([1, 2, 3].map(() => records.documents.register(upload(), 'replace')))
      expect(results.map((result) => result.outcome).toSorted()).toEqual(['created', 'unchanged', 'unchanged'])
      expect(new Set(results.map((result) => result.document.id)).size).toBe(1)
      expect(await eventTypes()).toEqual(['document.queued'])
    })

    test('queues a failed document again when the same bytes are uploaded', async ({ records, alice, upload, add, claimOne }) => {
      const { id } = await add()
      await records.queue.fail(await claimOne(), { code: errorCode('corrupt'), message: 'It is broken.' })
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({
        status: 'failed',
        error: { code: errorCode('corrupt'), message: 'It is broken.' },
      })
      const again = await records.documents.register(upload(), 'replace')
      expect(again).toMatchObject({ outcome: 'unchanged', document: { id, status: 'queued', version: 2, error: null } })
    })

    test('replaces, keeps both or refuses when other bytes come to the same path', async ({ records, clock, upload, add }) => {
      const { id, createdAt } = await add({ path: 'f/a.txt' })
      const other = upload({ path: 'f/a.txt', sha256: 'b'.repeat(64), sizeBytes: 99, tags: [] })
      await expect(records.documents.register(other, 'error')).rejects.toMatchObject({ code: errorCode('document_exists') })
      const second = await records.documents.register(other, 'keep')
      expect(second).toMatchObject({ outcome: 'created', document: { path: 'f/a (2).txt', name: 'a.txt' } })
      expect(await records.documents.register(other, 'keep')).toMatchObject({
        outcome: 'unchanged',
        document: { id: second.document.id },
      })
      clock.advance(1000)
      const replaced = await records.documents.register(other, 'replace')
      expect(replaced).toMatchObject({ outcome: 'replaced', document: { id, version: 2, sizeBytes: 99, tags: [], createdAt } })
    })

    test('keeps a document under the first free number, and the same bytes once', async ({ records, upload, add }) => {
      await add({ path: 'f/a.txt' })
      const keep = (byte: string) =>
        records.documents.register(upload({ path: 'f/a.txt', sha256: byte.repeat(64), sizeBytes: 1 }), 'keep')
      const path = async (byte: string) => (await keep(byte)).document.path
      for (const byte of ['b', 'c', 'd', 'e']) await keep(byte)
      expect(await path('d')).toBe('f/a (4).txt')
      const { document } = await keep('c')
      await records.documents.delete(await visibleTo(records, document.ownerId), document.id)
      expect([await path('f'), await path('1')]).toEqual(['f/a (3).txt', 'f/a (6).txt'])
    })

    test('sets the tags that an upload names, even for the same bytes, and keeps the tags if the upload names none', async ({
      records,
      upload,
      add,
    }) => {
      const { id } = await add({ tags: ['old'] })
      const again = (tags: string[] | null, onConflict: OnConflict = 'replace') =>
        records.documents.register(upload({ tags }), onConflict)
      expect(await again(null)).toMatchObject({ outcome: 'unchanged', document: { id, version: 1, tags: ['old'] } })
      expect(await again(['new'], 'keep')).toMatchObject({ outcome: 'unchanged', document: { id, version: 1, tags: ['old'] } })
      expect(await again(['new'])).toMatchObject({
        outcome: 'unchanged',
        document: { id, version: 2, tags: ['new'], status: 'queued' },
      })
      const replaced = await records.documents.register(upload({ sha256: 'b'.repeat(64), tags: null }), 'replace')
      expect(replaced).toMatchObject({ outcome: 'replaced', document: { id, tags: ['new'] } })
      expect((await add({ path: 'b.txt', tags: null })).tags).toEqual([])
    })

    test('refuses an upload into a deleted project or another owner’s project', async ({ records, bob, add, eventTypes }) => {
      const theirs = await records.projects.create({ ownerId: bob, name: 'b', description: '' })
      await expect(add({ projectId: theirs.id })).rejects.toMatchObject({ code: errorCode('project_not_found') })
      await expect(add({ projectId: 'prj_none' })).rejects.toMatchObject({ code: errorCode('project_not_found') })
      expect(await eventTypes()).toEqual([])
    })
  })
}
