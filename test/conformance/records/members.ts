import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'

export function membersConformance(test: DocumentsTest): void {
  describe('members', () => {
    test('are listed in the order in which they were added, and see the project with their highest role', async ({
      records,
      alice,
      bob,
      project,
    }) => {
      const seenByBob = async () => (await records.members.visibleTo(bob)).projects.map(({ id, role }) => [id, role])
      expect(await seenByBob()).toEqual([])
      expect(await records.members.set(project, null, 'reader')).toEqual({ isNew: true })
      expect(await seenByBob()).toEqual([[project, 'reader']])
      expect(await records.members.set(project, bob, 'writer')).toEqual({ isNew: true })
      expect(await records.members.set(project, bob, 'manager')).toEqual({ isNew: false })
      expect(await seenByBob()).toEqual([[project, 'manager']])
      expect(await records.members.list(project)).toMatchObject([
        { user: { id: alice, name: 'Alice' }, role: 'manager' },
        { user: null, role: 'reader' },
        { user: { id: bob, name: 'Bob' }, role: 'manager' },
      ])
      expect([await records.members.remove(project, bob), await records.members.remove(project, bob)]).toEqual([true, false])
      expect(await seenByBob()).toEqual([[project, 'reader']])
      expect(await records.members.remove(project, null)).toBe(true)
      expect(await seenByBob()).toEqual([])
    })

    test('a change that would leave a project without a manager is refused and changes nothing', async ({
      records,
      alice,
      bob,
      project,
    }) => {
      await records.members.set(project, bob, 'writer')
      const refused = { code: errorCode('last_manager') }
      await expect(records.members.remove(project, alice)).rejects.toMatchObject(refused)
      await expect(records.members.set(project, alice, 'reader')).rejects.toMatchObject(refused)
      expect(await records.members.list(project)).toMatchObject([{ role: 'manager' }, { role: 'writer' }])
      await expect(records.members.set('prj_none', bob, 'reader')).rejects.toMatchObject({ code: errorCode('project_not_found') })
    })

    test('when the owner leaves, the manager who was added first becomes the owner of the project and its documents', async ({
      records,
      alice,
      bob,
      project,
      add,
    }) => {
      const { id } = await add()
      await records.projects.create({ ownerId: bob, name: 'default', description: '' })
      await records.members.set(project, bob, 'manager')
      expect(await records.members.remove(project, alice)).toBe(true)
      expect(await records.projects.get(project)).toMatchObject({ ownerId: bob, name: 'default' })
      expect(await records.documents.get(new Set([project]), id)).toMatchObject({ ownerId: bob })
      const usage = await records.users.usage([alice, bob])
      expect([usage.get(alice), usage.get(bob)]).toMatchObject([
        { documents: 0, bytes: 0 },
        { documents: 1, bytes: 10 },
      ])
      expect((await records.queue.claim(5, { except: [alice] })).map(({ documentId }) => documentId)).toEqual([id])
    })

    test('when a user is deleted, projects with other members stay and private projects are deleted', async ({
      records,
      alice,
      bob,
      project,
      add,
    }) => {
      const carol = (await records.users.create({ name: 'Carol', email: null, role: 'member' })).id
      const own = async (name: string) => (await records.projects.create({ ownerId: bob, name, description: '' })).id
      const [secret, managed, read] = [await own('secret'), await own('managed'), await own('read')]
      await records.members.set(managed, carol, 'manager')
      await records.members.set(read, carol, 'reader')
      await records.members.set(project, bob, 'reader')
      const ids = new Map<string, string>()
      for (const projectId of [secret, managed, read]) ids.set(projectId, (await add({ uploaderId: bob, projectId })).id)
      expect(await records.projects.privateOf(bob)).toMatchObject([{ id: secret, name: 'secret', counts: { documents: 1 } }])
      expect(await records.users.delete(bob)).toEqual({ documentIds: [ids.get(secret)] })
      expect(await records.projects.get(secret)).toBeNull()
      expect(await records.projects.get(managed)).toMatchObject({ ownerId: carol })
      // The owner of the instance pays for it, and sees nothing of it.
      expect(await records.projects.get(read)).toMatchObject({ ownerId: alice })
      expect((await records.members.visibleTo(alice)).projects.map(({ id }) => id)).toEqual([project])
      expect((await records.members.visibleTo(carol)).projects.map(({ id, role }) => [id, role])).toEqual([
        [managed, 'manager'],
        [read, 'reader'],
      ])
      expect(await records.members.list(read)).toMatchObject([{ user: { id: carol } }])
      const usage = await records.users.usage([alice, carol])
      expect([usage.get(alice)?.documents, usage.get(carol)?.documents]).toEqual([1, 1])
    })

    test('a project without a manager is listed, and a member or the owner of the instance can become its manager', async ({
      records,
      alice,
      bob,
      project,
    }) => {
      const add = async (name: string) => (await records.users.create({ name, email: null, role: 'member' })).id
      const [carol, dave] = [await add('Carol'), await add('Dave')]
      const left: string[] = []
      for (const name of ['a', 'b', 'c']) {
        const { id } = await records.projects.create({ ownerId: bob, name, description: '' })
        await records.members.set(id, name === 'c' ? null : carol, 'reader')
        left.push(id)
      }
      const [a, b, c] = left as [string, string, string]
      const list = async (cursor?: string) => records.projects.listUnmanaged({ limit: 2, ...(cursor && { cursor }) })
      expect(await list()).toEqual({ items: [], nextCursor: null })
      await records.users.delete(bob)
      const first = await list()
      expect(first.items).toEqual([
        { id: a, name: 'a' },
        { id: b, name: 'b' },
      ])
      expect((await list(first.nextCursor!)).items).toEqual([{ id: c, name: 'c' }])

      expect(await records.members.takeOver(a, dave)).toBe('not_a_member')
      expect(await records.members.takeOver(a, carol)).toBe('done')
      expect(await records.members.takeOver(a, carol), 'it has a manager now').toBe('none')
      expect(await records.members.takeOver(b, alice), 'the owner of the instance').toBe('done')
      expect(await records.members.takeOver(c, dave), 'a member as one of all users').toBe('done')
      expect(await records.members.takeOver(project, bob)).toBe('none')
      expect(await records.members.takeOver('prj_none', alice)).toBe('none')
      const owners = await Promise.all([a, b, c].map(async (id) => (await records.projects.get(id))?.ownerId))
      expect(owners).toEqual([carol, alice, dave])
      expect(await records.members.list(a)).toMatchObject([{ user: { id: carol }, role: 'manager' }])
      expect((await records.members.list(b)).map(({ role }) => role)).toEqual(['reader', 'manager'])
      expect((await list()).items).toEqual([])
    })

    test('only writers and managers upload', async ({ records, bob, project, add }) => {
      const upload = () => add({ uploaderId: bob, path: 'b.txt' })
      await expect(upload()).rejects.toMatchObject({ code: errorCode('project_not_found') })
      await records.members.set(project, bob, 'reader')
      await expect(upload()).rejects.toMatchObject({ code: errorCode('insufficient_role'), details: { role: 'writer' } })
      await records.members.set(project, bob, 'writer')
      await expect(upload()).resolves.toMatchObject({ path: 'b.txt' })
      // The quota of the owner counts.
      const more = { ...(await upload()), uploaderId: bob, path: 'c.txt' }
      const full = records.documents.register(more, 'replace', { documents: 1, bytes: null, passages: null })
      await expect(full).rejects.toMatchObject({ code: errorCode('quota_exceeded'), details: { quota: 'documents' } })
    })
  })
}
