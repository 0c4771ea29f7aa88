import { describe, expect } from 'vitest'
import type { DocumentsTest } from './fixtures.ts'

export function eventsConformance(test: DocumentsTest): void {
  describe('events', () => {
    test('wakes the listeners of one owner after a commit, when the events can be read', async ({
      records,
      alice,
      bob,
      add,
      eventTypes,
    }) => {
      const heard: number[] = []
      let wake: () => void = () => {}
      const first = new Promise<void>((resolve) => (wake = resolve))
      const stop = records.events.subscribe(alice, () => {
        heard.push(1)
        wake()
      })
      const bobs: number[] = []
      records.events.subscribe(bob, () => bobs.push(1))
      await add()
      await first
      expect(await eventTypes()).toEqual(['document.queued'])
      expect(bobs).toEqual([])
      stop()
      await add({ path: 'b' })
      expect(heard).toEqual([1])
    })

    test('returns events after a given one, oldest first', async ({ records, alice, project, add }) => {
      await add()
      const after = await records.events.latestId(alice)
      const { id } = await add({ path: 'b' })
      await records.queue.claim(2)
      const events = await records.events.since(alice, after, 2)
      expect(events).toHaveLength(2)
      expect(events[0]).toMatchObject({
        type: 'document.queued',
        documentId: id,
        projectId: project,
        data: { name: 'a.txt', status: 'queued' },
      })
      expect(events[1]!.id).toBeGreaterThan(events[0]!.id)
      await records.events.trim()
      expect(await records.events.since(alice, after, 10)).toHaveLength(3)
    })

    test('numbers the events of each owner separately', async ({ records, alice, bob, add }) => {
      expect(await records.events.latestId(alice)).toBe(0)
      await add()
      const before = await records.events.latestId(alice)
      const project = await records.projects.create({ ownerId: bob, name: 'default', description: '' })
      for (const path of ['a', 'b', 'c']) await add({ ownerId: bob, projectId: project.id, path })
      await add({ path: 'b' })
      expect(await records.events.latestId(alice)).toBe(before + 1)
      // The first ids are the same, so they tell nothing about what happened before.
      expect((await records.events.since(bob, 0, 1))[0]?.id).toBe(before)
    })

    test('trims the oldest events of each owner separately', async ({ records, alice, bob, add }) => {
      const project = await records.projects.create({ ownerId: bob, name: 'default', description: '' })
      await add({ ownerId: bob, projectId: project.id })
      for (const path of ['a', 'b', 'c', 'd']) await add({ path })
      const ids = (await records.events.since(alice, 0, 10)).map(({ id }) => id)
      await records.events.trim(2)
      expect((await records.events.since(alice, 0, 10)).map(({ id }) => id)).toEqual(ids.slice(2))
      expect(await records.events.since(bob, 0, 10)).toHaveLength(1)
    })

    test('resumes after a given event unless later events are gone', async ({ records, alice, bob, add }) => {
      const resumeAfter = (id: number) => records.events.resumeAfter(alice, id)
      expect(await resumeAfter(0)).toBe(0)
      expect(await resumeAfter(42)).toBe(0)
      for (const path of ['a', 'b', 'c', 'd']) await add({ path })
      const [first, second, third, fourth] = (await records.events.since(alice, 0, 10)).map(({ id }) => id) as [
        number,
        number,
        number,
        number,
      ]
      for (const id of [0, first, second, third, fourth]) expect(await resumeAfter(id)).toBe(id)
      await records.events.trim(2)
      // Nothing is lost after the last event that was trimmed.
      for (const id of [second, third, fourth]) expect(await resumeAfter(id)).toBe(id)
      for (const id of [0, 7, first]) expect(await resumeAfter(id)).toBe(second)
      expect(await resumeAfter(fourth + 1)).toBe(fourth)
      expect(await records.events.resumeAfter(bob, 0)).toBe(0)
    })
  })
}
