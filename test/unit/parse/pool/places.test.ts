import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPlaces, type Place } from '../../../../src/parse/pool/places.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Takes places and notes what happens: a name where one has its place, with ` pauses` and ` goes on` where it has lost it. */
function scene(count: number, mostAside: number) {
  const places = createPlaces(count, mostAside)
  const events: string[] = []
  const held: Record<string, Place> = {}
  return {
    events,
    held,
    async ask(name: string, { urgent = false, signal }: { urgent?: boolean; signal?: AbortSignal } = {}) {
      const pause = (): void => void events.push(`${name} pauses`)
      const goOn = (): void => void events.push(`${name} goes on`)
      places.take({ urgent, signal, pause, goOn }).then(
        (place) => {
          held[name] = place
          events.push(name)
        },
        (error: Error) => events.push(`${name}: ${error.message}`),
      )
      await settled()
    },
    async end(name: string) {
      held[name]!.end()
      await settled()
    },
    async slow(name: string, isSlow = true) {
      held[name]!.slow(isSlow)
      await settled()
    },
  }
}

const pass = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1_000)
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('so many at a time, in order of asking', async () => {
  const { ask, end, events } = scene(2, 1)
  for (const name of ['a', 'b', 'c', 'd']) await ask(name)
  expect(events).toEqual(['a', 'b'])
  await end('b')
  expect(events).toEqual(['a', 'b', 'c'])
  await end('a')
  expect(events).toEqual(['a', 'b', 'c', 'd'])
})

test('what is urgent has one place more, and is before what waits', async () => {
  const { ask, end, events } = scene(1, 1)
  await ask('a')
  await ask('b')
  await ask('u', { urgent: true })
  await ask('v', { urgent: true })
  expect(events).toEqual(['a', 'u'])
  await end('u')
  expect(events).toEqual(['a', 'u', 'v'])
  await end('a')
  await end('v')
  expect(events).toEqual(['a', 'u', 'v', 'b'])
})

test('a slow one keeps its place while nobody waits, and gives way to the first who does', async () => {
  const { ask, slow, events } = scene(1, 1)
  await ask('endless')
  await slow('endless')
  expect(events).toEqual(['endless'])
  await ask('a')
  expect(events).toEqual(['endless', 'endless pauses', 'a'])
})

test('one that goes on well again keeps its place', async () => {
  const { ask, slow, events } = scene(1, 1)
  await ask('large')
  await slow('large')
  await slow('large', false)
  await ask('a')
  expect(events).toEqual(['large'])
})

test('no more stand aside than may, and the end of one of them makes room for another', async () => {
  const { ask, slow, end, events } = scene(1, 1)
  for (const name of ['slow', 'slower', 'a']) await ask(name)
  await slow('slow')
  await slow('slower')
  expect(events).toEqual(['slow', 'slow pauses', 'slower'])
  await end('slow')
  expect(events.slice(3)).toEqual(['slower pauses', 'a'])
  await ask('b')
  await end('a')
  expect(events.slice(5)).toEqual(['b'])
})

test('one that is not wanted any more waits no longer, and leaves its turn to the next', async () => {
  const { ask, end, events } = scene(1, 1)
  const stop = new AbortController()
  await ask('a')
  await ask('b', { signal: stop.signal })
  await ask('c')
  stop.abort(new Error('not wanted'))
  await settled()
  await end('a')
  expect(events).toEqual(['a', 'b: not wanted', 'c'])
  await ask('d', { signal: stop.signal })
  expect(events.at(-1)).toBe('d: not wanted')
})

test('one that stands aside goes on in a place that nobody has wanted for a second, and until somebody does', async () => {
  const { ask, slow, end, events } = scene(1, 2)
  await ask('slow')
  await slow('slow')
  await ask('a')
  pass(3)
  expect(events).toEqual(['slow', 'slow pauses', 'a'])
  await end('a')
  expect(events.slice(3)).toEqual(['slow goes on'])
  await ask('b')
  expect(events.slice(4)).toEqual(['slow pauses', 'b'])
  pass(0.5)
  await end('b')
  expect(events.slice(6)).toEqual([])
  await ask('c')
  await end('c')
  pass(0.9)
  expect(events.slice(6)).toEqual(['c'])
  pass(0.2)
  expect(events.slice(7)).toEqual(['slow goes on'])
  await ask('u', { urgent: true })
  expect(events.slice(8)).toEqual(['u'])
})

test('where there is always somebody, those aside go on in turns, one of them each half minute', async () => {
  const { ask, slow, end, events } = scene(1, 2)
  for (const name of ['slow', 'slower', 'a']) await ask(name)
  await slow('slow')
  await slow('slower')
  events.length = 0
  pass(120)
  const turn = (name: string): string[] => [`${name} goes on`, `${name} pauses`]
  expect(events).toEqual([...turn('slow'), ...turn('slower'), ...turn('slow'), 'slower goes on'])
  await end('slower')
  await end('slow')
  pass(120)
  expect(events).toHaveLength(7)
})

test('one whose turn it is keeps on in a place that comes free meanwhile', async () => {
  const { ask, slow, end, events } = scene(1, 1)
  for (const name of ['slow', 'a']) await ask(name)
  await slow('slow')
  pass(30)
  await end('a')
  pass(10)
  expect(events).toEqual(['slow', 'slow pauses', 'a', 'slow goes on'])
  await ask('b')
  expect(events.slice(4)).toEqual(['slow pauses', 'b'])
})

test('no more go on aside at a time than there are places, and the end of one lets the next', async () => {
  const { ask, slow, end, events } = scene(1, 3)
  for (const name of ['slow', 'slower', 'a']) await ask(name)
  await slow('slow')
  await slow('slower')
  await end('a')
  pass(2)
  expect(events.slice(-2)).toEqual(['a', 'slow goes on'])
  await end('slow')
  expect(events.at(-1)).toBe('slower goes on')
})
