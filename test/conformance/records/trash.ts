import { describe, expect } from 'vitest'
import { NO_QUOTAS } from '../../../src/records/quotas.ts'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'

const KEEP = { isKept: true }

export function trashConformance(test: DocumentsTest): void {
  describe('trash', () => {
    test('hides a deleted document everywhere, and restores it under its ID', async ({
      records,
      alice,
      project,
      add,
      makeReady,
      claimOne,
      eventTypes,
    }) => {
      const { id } = await add({ tags: ['mine'] })
      await makeReady()
      const projects = new Set([project])
      await records.documents.edit(projects, id, { title: 'My title' }, null)
      await makeReady()
      expect(await records.documents.delete(projects, id, KEEP)).toBe(true)
      expect(await records.documents.get(projects, id)).toBeNull()
      expect((await records.documents.list(projects, { limit: 10 })).items).toEqual([])
      expect((await records.users.usage([alice])).get(alice)).toEqual({ documents: 0, bytes: 10, passages: 0 })
      expect(await records.queue.tombstones()).toEqual([id])
      expect(await records.documents.isBlobReferenced('a'.repeat(64))).toBe(true)
      expect(await records.trash.get(projects, id)).toMatchObject({ id, path: 'a.txt', status: 'ready', tags: ['mine'] })

      expect(await records.trash.restore(projects, id)).toMatchObject({
        document: { id, status: 'queued', tags: ['mine'], title: 'My title' },
        replacedId: null,
      })
      // Otherwise the passages of the restored document would leave the index.
      expect(await records.queue.tombstones()).toEqual([])
      expect(await records.trash.get(projects, id)).toBeNull()
      expect(await records.trash.restore(projects, id)).toBeNull()
      expect((await records.users.usage([alice])).get(alice)).toEqual({ documents: 1, bytes: 10, passages: 0 })
      expect((await eventTypes()).slice(-2)).toEqual(['document.deleted', 'document.queued'])
      expect(await claimOne()).toMatchObject({ documentId: id })
    })

    test('keeps a replaced version under an ID of its own, and restoring it moves the current version to the trash', async ({
      records,
      clock,
      project,
      add,
      upload,
    }) => {
      const projects = new Set([project])
      const { id } = await add()
      clock.advance(1000)
      const other = upload({ sha256: 'b'.repeat(64), sizeBytes: 20 })
      const { document, outcome, trashedId } = await records.documents.register(other, 'replace', NO_QUOTAS, KEEP)
      expect([document.id, outcome]).toEqual([id, 'replaced'])
      expect(await records.trash.get(projects, trashedId!)).toMatchObject({
        sha256: 'a'.repeat(64),
        sizeBytes: 10,
        path: 'a.txt',
      })
      clock.advance(1000)
      expect(await records.trash.restore(projects, trashedId!)).toMatchObject({
        document: { id: trashedId, sha256: 'a'.repeat(64) },
        replacedId: id,
      })
      expect((await records.documents.atPaths(project, ['a.txt'])).get('a.txt')?.id).toBe(trashedId)
      expect((await records.trash.list(projects, { limit: 10 })).items).toMatchObject([{ id, sha256: 'b'.repeat(64) }])
    })

    test('is hidden from other projects, and is deleted with its project', async ({ records, alice, bob, project, add }) => {
      const { id } = await add()
      const projects = new Set([project])
      await records.documents.delete(projects, id, KEEP)
      const { id: foreign } = await records.projects.create({ ownerId: bob, name: 'p', description: '' })
      const others = new Set([foreign])
      expect(await records.trash.get(others, id)).toBeNull()
      expect((await records.trash.list(others, { limit: 10 })).items).toEqual([])
      expect(await records.trash.restore(others, id)).toBeNull()
      expect(await records.trash.delete(others, id)).toBe(false)
      await records.projects.delete(project)
      expect(await records.trash.get(projects, id)).toBeNull()
      expect(await records.documents.isBlobReferenced('a'.repeat(64))).toBe(false)
      expect((await records.users.usage([alice])).get(alice)?.bytes).toBe(0)
    })

    test('lists the last deleted first, in pages, and by name, path, tag and type', async ({ records, clock, project, add }) => {
      const projects = new Set([project])
      const ids: string[] = []
      for (const path of ['x/Lease.txt', 'x/note.txt', 'y/note.txt']) {
        const { id } = await add({ path, name: path.slice(2), tags: [path[0]!] })
        clock.advance(1000)
        await records.documents.delete(projects, id, KEEP)
        ids.unshift(id)
      }
      const first = await records.trash.list(projects, { limit: 2 })
      const rest = await records.trash.list(projects, { limit: 2, cursor: first.nextCursor! })
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids)
      expect(rest.nextCursor).toBeNull()
      const paths = async (query: object) =>
        (await records.trash.list(projects, { limit: 9, ...query })).items.map(({ path }) => path)
      expect(await paths({ name: 'lease' })).toEqual(['x/Lease.txt'])
      expect(await paths({ pathPrefix: 'x/' })).toEqual(['x/note.txt', 'x/Lease.txt'])
      expect(await paths({ tags: ['y'] })).toEqual(['y/note.txt'])
      expect(await paths({ mediaTypes: ['application/pdf'] })).toEqual([])
      expect(await paths({ idSuffix: ids[0]!.slice(-6) })).toEqual(['y/note.txt'])
      const { createdAt } = first.items[0]!
      expect(await paths({ createdAfter: createdAt })).toEqual(['y/note.txt'])
      expect(await paths({ createdBefore: createdAt })).toEqual(['x/note.txt', 'x/Lease.txt'])
    })

    test('deletes documents that are old enough, the oldest first, and not more than the given number', async ({
      records,
      clock,
      alice,
      project,
      add,
    }) => {
      const projects = new Set([project])
      for (const path of ['a', 'b', 'c']) {
        const { id } = await add({ path })
        await records.documents.delete(projects, id, KEEP)
        clock.advance(1000)
      }
      const before = new Date(clock.now().getTime() - 1000)
      expect(await records.trash.purge(before, 1)).toBe(1)
      expect(await records.trash.purge(before, 10)).toBe(1)
      expect(await records.trash.purge(before, 10)).toBe(0)
      const [left] = (await records.trash.list(projects, { limit: 9 })).items
      expect(left).toMatchObject({ path: 'c' })
      expect(await records.trash.delete(projects, left!.id)).toBe(true)
      expect((await records.users.usage([alice])).get(alice)).toEqual({ documents: 0, bytes: 0, passages: 0 })
    })

    test('keeps a document for the full time even if the clock was slow when it was deleted', async ({
      records,
      clock,
      project,
      add,
    }) => {
      const projects = new Set([project])
      const { id, updatedAt } = await add()
      clock.advance(-86_400_000)
      await records.documents.delete(projects, id, KEEP)
      expect(await records.trash.purge(updatedAt, 10)).toBe(0)
      expect((await records.trash.get(projects, id))?.trashedAt).toEqual(updatedAt)
    })

    test('counts towards the quota of bytes, and a restored document towards all of them', async ({
      records,
      project,
      add,
      upload,
    }) => {
      const projects = new Set([project])
      const { id } = await add({ sizeBytes: 60 })
      await records.documents.delete(projects, id, KEEP)
      const bytes = { ...NO_QUOTAS, bytes: 100 }
      const other = upload({ path: 'b', sizeBytes: 41 })
      await expect(records.documents.register(other, 'replace', bytes)).rejects.toMatchObject({
        code: errorCode('quota_exceeded'),
      })
      await add({ path: 'b', sizeBytes: 40 })
      const larger = upload({ path: 'b', sizeBytes: 41, sha256: 'b'.repeat(64) })
      await expect(records.documents.register(larger, 'replace', bytes, KEEP)).rejects.toMatchObject({
        code: errorCode('quota_exceeded'),
      })
      // There is no room for both versions, so the former one is not kept.
      const smaller = upload({ path: 'b', sizeBytes: 39, sha256: 'c'.repeat(64) })
      expect(await records.documents.register(smaller, 'replace', bytes, KEEP)).toMatchObject({
        outcome: 'replaced',
        trashedId: null,
      })
      const one = { ...NO_QUOTAS, documents: 1 }
      await expect(records.trash.restore(projects, id, one)).rejects.toMatchObject({ code: errorCode('quota_exceeded') })
      expect(await records.trash.restore(projects, id, bytes)).toMatchObject({ document: { id } })
    })
  })
}
