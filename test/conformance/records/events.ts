import { describe, expect } from 'vitest'
import { DELETED_PROJECT_MS } from '../../../src/records/events.ts'
import type { DocumentsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

export function eventsConformance(test: DocumentsTest): void {
  describe('events', () => {
    test('tells listeners the projects of a commit, when its events can be read', async ({
      records,
      project,
      add,
      eventTypes,
    }) => {
      const heard: string[][] = []
      let wake: () => void = () => {}
      const first = new Promise<void>((resolve) => (wake = resolve))
      const stop = records.events.subscribe((projects) => {
        heard.push([...projects])
        wake()
      })
      await add()
      await first
      expect(await eventTypes()).toEqual(['document.queued'])
      stop()
      await add({ path: 'b' })
      expect(heard).toEqual([[project]])
    })

    test('returns events after a given one, oldest first', async ({ records, alice, project, add }) => {
      await add()
      const after = await records.events.latestId(await visibleTo(records, alice))
      const { id } = await add({ path: 'b' })
      await records.queue.claim(2)
      const events = await records.events.since(await visibleTo(records, alice), after, 2)
      expect(events).toHaveLength(2)
      expect(events[0]).toMatchObject({
        type: 'document.queued',
        documentId: id,
        projectId: project,
        data: { name: 'a.txt', status: 'queued' },
      })
      expect(events[1]!.id).toBeGreaterThan(events[0]!.id)
      await records.events.trim()
      expect(await records.events.since(await visibleTo(records, alice), after, 10)).toHaveLength(3)
    })

    test('returns the next events of several projects in the order of their commits', async ({
      records,
      alice,
      project,
      add,
    }) => {
      const others: string[] = []
      for (const name of ['b', 'c', 'd', 'e'])
        others.push((await records.projects.create({ ownerId: alice, name, description: '' })).id)
      const [b = '', c = '', d = '', e = ''] = others
      const order = [project, b, b, c, project, d, c, b, project, e, d, c]
      for (const [i, projectId] of order.entries()) await add({ projectId, path: `${i}` })
      const visible = new Set([project, b, c, d])
      const expected = order.filter((id) => id !== e)
      for (const limit of [1, 2, 5, 100]) {
        const seen: string[] = []
        for (let after = 0; ;) {
          const events = await records.events.since(visible, after, limit)
          if (events.length === 0) break
          expect(events.length).toBeLessThanOrEqual(limit)
          for (const event of events) expect(event.id).toBeGreaterThan(after)
          seen.push(...events.map(({ projectId }) => projectId))
          after = events.at(-1)!.id
        }
        expect(seen).toEqual(expected)
      }
      expect(await records.events.latestId(new Set())).toBe(0)
      expect(await records.events.latestId(new Set([b, e]))).toBeGreaterThan(await records.events.latestId(new Set([b])))
    })

    test('trims the oldest events of each project separately', async ({ records, bob, project, add }) => {
      const { id: other } = await records.projects.create({ ownerId: bob, name: 'default', description: '' })
      await add({ uploaderId: bob, projectId: other })
      for (const path of ['a', 'b', 'c', 'd']) await add({ path })
      const idsOf = async (id: string) => (await records.events.since(new Set([id]), 0, 10)).map((event) => event.id)
      const ids = await idsOf(project)
      await records.events.trim(2)
      expect(await idsOf(project)).toEqual(ids.slice(2))
      expect(await idsOf(other)).toHaveLength(1)
    })

    test('resumes after a given event unless later events are gone', async ({ records, alice, bob, project, add }) => {
      const mine = new Set([project])
      const resumed = (afterId: number, hasMissed = false) => ({ afterId, hasMissed })
      const resumeAfter = (id: number) => records.events.resumeAfter(mine, id)
      expect(await resumeAfter(0)).toEqual(resumed(0))
      expect(await resumeAfter(42)).toEqual(resumed(0, true))
      for (const path of ['a', 'b', 'c', 'd']) await add({ path })
      const ids = (await records.events.since(mine, 0, 10)).map(({ id }) => id)
      const [first, second, third, fourth] = ids as [number, number, number, number]
      for (const id of [0, first, second, third, fourth]) expect(await resumeAfter(id)).toEqual(resumed(id))
      // Nothing is missing for a listener who has seen an event of another project.
      const { id: other } = await records.projects.create({ ownerId: bob, name: 'other', description: '' })
      await add({ uploaderId: bob, projectId: other })
      const foreign = await records.events.latestId(new Set([other]))
      expect(await resumeAfter(foreign)).toEqual(resumed(foreign))
      await records.events.trim(2)
      // Nothing is lost after the last event that was trimmed.
      for (const id of [second, third, fourth, foreign]) expect(await resumeAfter(id)).toEqual(resumed(id))
      for (const id of [0, 7, first]) expect(await resumeAfter(id)).toEqual(resumed(second, true))
      expect(await resumeAfter(foreign + 1)).toEqual(resumed(fourth, true))
      expect(await records.events.resumeAfter(new Set(), 0)).toEqual(resumed(0))
      expect((await records.members.visibleTo(alice)).projects).toHaveLength(1)
    })

    test('stores the events of a deleted project for its members, for a while', async ({
      records,
      clock,
      alice,
      project,
      add,
      eventTypes,
    }) => {
      await add()
      await records.projects.delete(project)
      expect(await eventTypes()).toEqual(['document.queued', 'document.deleted'])
      const last = await records.events.latestId(new Set([project]))
      clock.advance(DELETED_PROJECT_MS - 1)
      await records.events.trim()
      expect((await records.members.visibleTo(alice)).deletedIds).toEqual([project])
      expect(await eventTypes()).toEqual(['document.queued', 'document.deleted'])
      clock.advance(2)
      await records.events.trim()
      expect(await records.members.visibleTo(alice)).toEqual({ projects: [], deletedIds: [] })
      expect(await records.events.since(new Set([project]), 0, 10)).toEqual([])
      // A listener who was away for so long may have missed a deletion.
      expect(await records.events.resumeAfter(new Set(), last)).toMatchObject({ hasMissed: true })
    })

    test('gives the next event a greater id than the forgotten ones, even if the clock is behind', async ({
      records,
      clock,
      project,
      add,
    }) => {
      const { id: userId } = await records.users.create({ name: 'Cleo', email: null, role: 'member' })
      const { id: own } = await records.projects.create({ ownerId: userId, name: 'own', description: '' })
      clock.advance(60_000)
      await add({ projectId: own, uploaderId: userId })
      const last = await records.events.latestId(new Set([own]))
      await records.users.delete(userId)
      await records.events.trim()
      expect(await records.events.latestId(new Set([own]))).toBe(0)
      clock.advance(-60_000)
      await add()
      expect(await records.events.latestId(new Set([project]))).toBeGreaterThan(last)
    })
  })
}
