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
      const after = await records.events.latestId()
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
  })
}
