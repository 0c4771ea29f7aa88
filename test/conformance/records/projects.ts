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

    test('refuses a name only because of a visible project', async ({ records, alice, project }) => {
      const { id } = await records.projects.create({ ownerId: alice, name: 'second', description: '' })
      await expect(records.projects.update(id, { name: 'default' }, new Set([id, project]))).rejects.toMatchObject({
        code: errorCode('project_exists'),
      })
      expect(await records.projects.update(id, { name: 'default' }, new Set([id]))).toMatchObject({ id, name: 'default' })
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

    test('counts the documents of each first folder, through every kind of change', async ({ records, alice, project, add }) => {
      const { id: second } = await records.projects.create({ ownerId: alice, name: 'second', description: '' })
      const folders = async (id: string, max = 10) =>
        (await records.projects.contents(id, max)).folders.map(({ folder, documents }) => `${folder} ${documents}`)
      const a = await add({ path: 'notes/a.txt' })
      const b = await add({ path: 'notes/old/b.txt', sha256: 'b'.repeat(64) })
      await add({ path: 'c.txt', sha256: 'c'.repeat(64) })
      expect(await folders(project)).toEqual([' 1', 'notes/ 2'])
      expect(await folders(project, 1)).toEqual([' 1'])

      const both = new Set([project, second])
      await records.documents.edit(both, a.id, { path: 'Äpfel/a.txt' }, null)
      await records.documents.edit(both, b.id, { projectId: second }, null)
      expect([await folders(project), await folders(second)]).toEqual([[' 1', 'Äpfel/ 1'], ['notes/ 1']])
      await records.documents.delete(both, a.id, { isKept: true })
      expect(await folders(project)).toEqual([' 1'])
      await records.trash.restore(both, a.id)
      expect(await folders(project)).toEqual([' 1', 'Äpfel/ 1'])
      await records.projects.delete(second)
      expect(await folders(second)).toEqual([])
    })

    test('knows when a document last changed, and how many are in the trash', async ({ records, clock, project, add }) => {
      const contents = async () => {
        const { lastChangedAt, trashed } = await records.projects.contents(project, 0)
        return { lastChangedAt: lastChangedAt?.getTime(), trashed }
      }
      expect(await contents()).toEqual({ lastChangedAt: undefined, trashed: 0 })
      const { id } = await add()
      const added = clock.now().getTime()
      expect(await contents()).toEqual({ lastChangedAt: added, trashed: 0 })
      clock.advance(1000)
      await add({ path: 'b.txt', sha256: 'b'.repeat(64) })
      clock.advance(1000)
      await records.documents.edit(new Set([project]), id, { title: 'Other' }, null)
      expect(await contents()).toEqual({ lastChangedAt: added + 2000, trashed: 0 })
      clock.advance(1000)
      await records.documents.delete(new Set([project]), id, { isKept: true })
      expect(await contents()).toEqual({ lastChangedAt: added + 3000, trashed: 1 })
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
