import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

export function projectsConformance(test: DocumentsTest): void {
  describe('projects', () => {
    test('allows each name once for each owner', async ({ records, alice, bob }) => {
      await expect(records.projects.create({ ownerId: alice, name: 'default', description: '' })).rejects.toMatchObject({
        code: errorCode('project_exists'),
      })
      await expect(records.projects.create({ ownerId: bob, name: 'default', description: '' })).resolves.toMatchObject({
        name: 'default',
      })
      const second = await records.projects.create({ ownerId: alice, name: 'second', description: 'd' })
      await expect(records.projects.update(second.id, { name: 'default' })).rejects.toMatchObject({
        code: errorCode('project_exists'),
      })
      expect(await records.projects.update(second.id, { description: 'new' })).toMatchObject({
        name: 'second',
        description: 'new',
      })
    })

    test('lists only the projects that are named, and finds each by its id', async ({ records, alice, bob, project }) => {
      const { id: second } = await records.projects.create({ ownerId: alice, name: 'second', description: '' })
      const { id: foreign } = await records.projects.create({ ownerId: bob, name: 'foreign', description: '' })
      const names = async (...ids: string[]) =>
        (await records.projects.list(new Set(ids), { limit: 10 })).items.map(({ name }) => name)
      const many = Array.from({ length: 40_000 }, (_, n) => `prj_${n}`)
      expect(await names(project, ...many, second)).toEqual(['default', 'second'])
      expect(await names(foreign)).toEqual(['foreign'])
      expect(await names()).toEqual([])
      expect(await records.projects.get(second)).toMatchObject({ id: second, name: 'second', ownerId: alice })
      expect(await records.projects.get('second')).toBeNull()
    })

    test('changes and deletes nothing when there is no such project', async ({ records, alice, project }) => {
      expect(await records.projects.update('prj_none', { name: 'mine' })).toBeNull()
      expect(await records.projects.delete('prj_none')).toBeNull()
      expect((await visibleTo(records, alice)).has(project)).toBe(true)
    })

    test('counts the documents of a project', async ({ records, alice, project, add, makeReady }) => {
      await add()
      await add({ path: 'b.txt', sizeBytes: 5 })
      await makeReady(7)
      const { counts } = (await records.projects.get(project))!
      expect(counts).toEqual({ documents: 2, chunks: 7, bytes: 15, statuses: { queued: 1, processing: 0, ready: 1, failed: 0 } })
      expect((await records.projects.list(await visibleTo(records, alice), { limit: 10 })).items[0]?.counts).toEqual(counts)
    })

    test('lists projects in order of their names, a result page at a time', async ({ records, alice }) => {
      for (const name of ['c', 'a', 'b']) await records.projects.create({ ownerId: alice, name, description: '' })
      const first = await records.projects.list(await visibleTo(records, alice), { limit: 2 })
      const second = await records.projects.list(await visibleTo(records, alice), { limit: 2, cursor: first.nextCursor! })
      expect([...first.items, ...second.items].map((item) => item.name)).toEqual(['a', 'b', 'c', 'default'])
      expect(second.nextCursor).toBeNull()
    })

    test('deletes a project with its documents, and leaves a tombstone and an event for each', async ({
      records,
      alice,
      project,
      add,
      eventTypes,
    }) => {
      const one = await add()
      const two = await add({ path: 'b.txt' })
      const visible = await visibleTo(records, alice)
      const gone = await records.projects.delete(project)
      expect(gone?.documentIds.toSorted()).toEqual([one.id, two.id].toSorted())
      expect((await records.queue.tombstones()).toSorted()).toEqual([one.id, two.id].toSorted())
      expect(await eventTypes()).toEqual(['document.queued', 'document.queued', 'document.deleted', 'document.deleted'])
      expect(await records.members.visibleTo(alice)).toEqual({ projects: [], deletedIds: [project] })
      expect(await records.documents.get(visible, one.id)).toBeNull()
      expect(await records.queue.claim(10)).toEqual([])
    })
  })
}
