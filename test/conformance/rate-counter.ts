import { describe, expect, test } from 'vitest'
import type { MakeCounter } from '../../src/core/rate-counter.ts'

/** Lets the window of a counter's keys end. */
type EndWindows = () => Promise<void> | void

/** Tests that every implementation of Counter passes. */
export function counterConformance(open: () => Promise<{ counters: MakeCounter; endWindows: EndWindows }>): void {
  describe('a counter', () => {
    test('says when a key is over its limit, until its window ends', async () => {
      const { counters, endWindows } = await open()
      const counter = counters({ name: 'limit', limit: 2, seconds: 60 })
      const first = await counter.take('a')
      expect(first).toMatchObject({ isOver: false, limit: 2, remaining: 1 })
      expect(first.resetMs).toBeGreaterThan(0)
      expect(first.resetMs).toBeLessThanOrEqual(60_000)
      expect(await counter.take('a')).toMatchObject({ isOver: false, remaining: 0 })
      expect(await counter.take('a')).toMatchObject({ isOver: true, remaining: 0 })
      expect(await counter.take('b')).toMatchObject({ isOver: false })
      await endWindows()
      expect(await counter.take('a')).toMatchObject({ isOver: false, remaining: 1 })
    })

    test('returns the state after the next event without counting the event', async () => {
      const { counters } = await open()
      const counter = counters({ name: 'peek', limit: 1, seconds: 60 })
      expect(await counter.peek('a')).toMatchObject({ isOver: false, resetMs: 60_000 })
      expect(await counter.peek('a')).toMatchObject({ isOver: false })
      await counter.take('a')
      expect(await counter.peek('a')).toMatchObject({ isOver: true })
    })

    test('takes an event back while its window lasts, and forgets a key', async () => {
      const { counters, endWindows } = await open()
      const counter = counters({ name: 'back', limit: 1, seconds: 60 })
      await counter.take('a')
      await counter.takeBack('a')
      expect(await counter.take('a')).toMatchObject({ isOver: false })
      await counter.forget('a')
      expect(await counter.take('a')).toMatchObject({ isOver: false })
      await endWindows()
      await counter.takeBack('a')
      expect(await counter.take('a')).toMatchObject({ isOver: false })
      expect(await counter.take('a')).toMatchObject({ isOver: true })
    })

    test('counts every one of many simultaneous events', async () => {
      const { counters } = await open()
      const counter = counters({ name: 'many', limit: 5, seconds: 60 })
      const states = await Promise.all(Array.from({ length: 20 }, async () => counter.take('a')))
      expect(states.filter(({ isOver }) => !isOver)).toHaveLength(5)
    })

    test('counts separately for each name of a counter', async () => {
      const { counters } = await open()
      const [one, other] = ['one', 'other'].map((name) => counters({ name, limit: 1, seconds: 60 }))
      await one!.take('a')
      expect(await other!.take('a')).toMatchObject({ isOver: false })
    })
  })
}
