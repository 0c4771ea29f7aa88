import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'

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
      await expect(records.projects.update(alice, second.id, { name: 'default' })).rejects.toMatchObject({
        code: errorCode('project_exists'),
      })
      expect(await records.projects.update(alice, second.id, { description: 'new' })).toMatchObject({
        name: 'second',
        description: 'new',
      })
    })

    test('finds a project by its id or its name, and prefers the id', async ({ records, alice, project }) => {
      const named = await records.projects.create({ ownerId: alice, name: project, description: '' })
      expect((await records.projects.find(alice, project))?.id).toBe(project)
      expect((await records.projects.find(alice, named.id))?.id).toBe(named.id)
      expect((await records.projects.find(alice, 'default'))?.id).toBe(project)
      expect(await records.projects.findId(alice, project)).toBe(project)
      expect(await records.projects.findId(alice, 'default')).toBe(project)
    })

    test('names the projects of an owner, and leaves out projects that do not exist', async ({
      records,
      alice,
      bob,
      project,
    }) => {
      const { id: second } = await records.projects.create({ ownerId: alice, name: 'second', description: '' })
      const { id: foreign } = await records.projects.create({ ownerId: bob, name: 'foreign', description: '' })
      const many = Array.from({ length: 40_000 }, (_, n) => `prj_${n}`)
      const named = await records.projects.names(alice, [project, ...many, foreign, second])
      expect(named).toEqual(
        new Map([
          [project, 'default'],
          [second, 'second'],
        ]),
      )
      expect(await records.projects.names(alice, [])).toEqual(new Map())
    })

    test('hides a project from other owners, who can neither change nor delete it', async ({ records, alice, bob, project }) => {
      expect(await records.projects.find(bob, project)).toBeNull()
      expect(await records.projects.find(bob, 'default')).toBeNull()
      expect(await records.projects.findId(bob, project)).toBeNull()
      expect(await records.projects.update(bob, project, { name: 'mine' })).toBeNull()
      expect(await records.projects.delete(bob, project)).toBeNull()
      expect((await records.projects.list(bob, { limit: 10 })).items).toEqual([])
      expect(await records.projects.find(alice, project)).not.toBeNull()
    })

    test('counts the documents of a project', async ({ records, alice, project, add, makeReady }) => {
      await add()
      await add({ path: 'b.txt', sizeBytes: 5 })
      await makeReady(7)
      const { counts } = (await records.projects.find(alice, project))!
      expect(counts).toEqual({ documents: 2, chunks: 7, bytes: 15, statuses: { queued: 1, processing: 0, ready: 1, failed: 0 } })
      expect((await records.projects.list(alice, { limit: 10 })).items[0]?.counts).toEqual(counts)
    })

    test('lists projects in order of their names, a result page at a time', async ({ records, alice }) => {
      for (const name of ['c', 'a', 'b']) await records.projects.create({ ownerId: alice, name, description: '' })
      const first = await records.projects.list(alice, { limit: 2 })
      const second = await records.projects.list(alice, { limit: 2, cursor: first.nextCursor! })
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
      const gone = await records.projects.delete(alice, project)
      expect(gone?.documentIds.toSorted()).toEqual([one.id, two.id].toSorted())
      expect((await records.queue.tombstones()).toSorted()).toEqual([one.id, two.id].toSorted())
      expect(await eventTypes()).toEqual(['document.queued', 'document.queued', 'document.deleted', 'document.deleted'])
      expect(await records.documents.get(alice, one.id)).toBeNull()
      expect(await records.queue.claim(10)).toEqual([])
    })
  })
}
