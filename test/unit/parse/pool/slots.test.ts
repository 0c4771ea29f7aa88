import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Slot, Slots, type SlotState } from '../../../../src/parse/pool/slots.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Lets documents take slots and records the events: a name for a slot, and `NAME pauses` and `NAME resumes` after the slot was lost. */
function scene(count: number, maxDisplaced: number) {
  const slots = new Slots(count, maxDisplaced)
  const events: string[] = []
  const held: Record<string, Slot> = {}
  return {
    events,
    /** The states of the documents that have or had a slot. */
    states: (): Record<string, SlotState> => Object.fromEntries(Object.entries(held).map(([name, { state }]) => [name, state])),
    async take(
      name: string,
      { owner = 'usr_1', urgent = false, signal }: { owner?: string; urgent?: boolean; signal?: AbortSignal } = {},
    ) {
      const pause = (): void => void events.push(`${name} pauses`)
      const resume = (): void => void events.push(`${name} resumes`)
      slots.take({ owner, urgent, signal, pause, resume }).then(
        (slot) => {
          held[name] = slot
          events.push(name)
        },
        (error: Error) => events.push(`${name}: ${error.message}`),
      )
      await settled()
    },
    async release(name: string) {
      held[name]!.release()
      await settled()
    },
    async setSlow(name: string, isSlow = true) {
      held[name]!.setSlow(isSlow)
      await settled()
    },
  }
}

const pass = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1_000)
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('gives out its slots in the order of the requests', async () => {
  const { take, release, events } = scene(2, 1)
  for (const name of ['a', 'b', 'c', 'd']) await take(name)
  expect(events).toEqual(['a', 'b'])
  await release('b')
  expect(events).toEqual(['a', 'b', 'c'])
  await release('a')
  expect(events).toEqual(['a', 'b', 'c', 'd'])
})

test('an urgent request gets an extra slot, and comes before the others that wait', async () => {
  const { take, release, events } = scene(1, 1)
  await take('a')
  await take('b')
  await take('u', { urgent: true })
  await take('v', { urgent: true })
  expect(events).toEqual(['a', 'u'])
  await release('u')
  expect(events).toEqual(['a', 'u', 'v'])
  await release('a')
  await release('v')
  expect(events).toEqual(['a', 'u', 'v', 'b'])
})

test('a slow document keeps its slot until another one waits', async () => {
  const { take, setSlow, events, states } = scene(1, 1)
  await take('endless')
  await setSlow('endless')
  expect(states()).toEqual({ endless: 'slow' })
  await take('a')
  expect(events).toEqual(['endless', 'endless pauses', 'a'])
  expect(states()).toEqual({ endless: 'paused', a: 'running' })
})

test('a slow document that makes progress again keeps its slot', async () => {
  const { take, setSlow, events, states } = scene(1, 1)
  await take('large')
  await setSlow('large')
  await setSlow('large', false)
  await take('a')
  expect(events).toEqual(['large'])
  expect(states()).toEqual({ large: 'running' })
})

test('displaces no more documents than allowed, and the next one when a displaced one ends', async () => {
  const { take, setSlow, release, events, states } = scene(1, 1)
  for (const name of ['slow', 'slower', 'a']) await take(name)
  await setSlow('slow')
  await setSlow('slower')
  expect(events).toEqual(['slow', 'slow pauses', 'slower'])
  expect(states()).toEqual({ slow: 'paused', slower: 'slow' })
  await release('slow')
  expect(events.slice(3)).toEqual(['slower pauses', 'a'])
  await take('b')
  await release('a')
  expect(events.slice(5)).toEqual(['b'])
})

test('an aborted request leaves the queue', async () => {
  const { take, release, events } = scene(1, 1)
  const stop = new AbortController()
  await take('a')
  await take('b', { signal: stop.signal })
  await take('c')
  stop.abort(new Error('not wanted'))
  await settled()
  await release('a')
  expect(events).toEqual(['a', 'b: not wanted', 'c'])
  await take('d', { signal: stop.signal })
  expect(events.at(-1)).toBe('d: not wanted')
})

test('a displaced document resumes in a slot that stayed free for a second, until another one wants it', async () => {
  const { take, setSlow, release, events, states } = scene(1, 2)
  await take('slow')
  await setSlow('slow')
  await take('a')
  pass(3)
  expect(events).toEqual(['slow', 'slow pauses', 'a'])
  await release('a')
  expect(events.slice(3)).toEqual(['slow resumes'])
  expect(states()).toEqual({ slow: 'resumed', a: 'released' })
  await take('b')
  expect(events.slice(4)).toEqual(['slow pauses', 'b'])
  pass(0.5)
  await release('b')
  expect(events.slice(6)).toEqual([])
  await take('c')
  await release('c')
  pass(0.9)
  expect(events.slice(6)).toEqual(['c'])
  pass(0.2)
  expect(events.slice(7)).toEqual(['slow resumes'])
  await take('u', { urgent: true })
  expect(events.slice(8)).toEqual(['u'])
})

test('while no slot is free, the displaced documents take turns of a second, one each half minute', async () => {
  const { take, setSlow, release, events, states } = scene(1, 2)
  for (const name of ['slow', 'slower', 'a']) await take(name)
  await setSlow('slow')
  await setSlow('slower')
  events.length = 0
  pass(120)
  const turn = (name: string): string[] => [`${name} resumes`, `${name} pauses`]
  expect(events).toEqual([...turn('slow'), ...turn('slower'), ...turn('slow'), 'slower resumes'])
  expect(states()).toEqual({ slow: 'paused', slower: 'turn', a: 'running' })
  await release('slower')
  await release('slow')
  pass(120)
  expect(events).toHaveLength(7)
})

test('a document whose turn it is goes on in a slot that becomes free', async () => {
  const { take, setSlow, release, events, states } = scene(1, 1)
  for (const name of ['slow', 'a']) await take(name)
  await setSlow('slow')
  pass(30)
  expect(states()['slow']).toBe('turn')
  await release('a')
  expect(states()['slow']).toBe('resumed')
  pass(10)
  expect(events).toEqual(['slow', 'slow pauses', 'a', 'slow resumes'])
  await take('b')
  expect(events.slice(4)).toEqual(['slow pauses', 'b'])
})

test('no more displaced documents resume than there are slots, and the next one when one ends', async () => {
  const { take, setSlow, release, events } = scene(1, 3)
  for (const name of ['slow', 'slower', 'a']) await take(name)
  await setSlow('slow')
  await setSlow('slower')
  await release('a')
  pass(2)
  expect(events.slice(-2)).toEqual(['a', 'slow resumes'])
  await release('slow')
  expect(events.at(-1)).toBe('slower resumes')
})

test('a user without a slot gets one of a user with two at once, and gives it back at the end', async () => {
  const { take, release, events, states } = scene(2, 2)
  for (const name of ['a1', 'a2', 'a3']) await take(name, { owner: 'a' })
  await take('b1', { owner: 'b' })
  expect(events).toEqual(['a1', 'a2', 'a1 pauses', 'b1'])
  expect(states()).toEqual({ a1: 'yielded', a2: 'running', b1: 'running' })
  await release('b1')
  expect(events.slice(4)).toEqual(['a1 resumes'])
  await release('a1')
  expect(events.slice(5)).toEqual(['a3'])
})

test('with one slot, documents of different users take turns of half a second', async () => {
  const { take, release, setSlow, events } = scene(1, 2)
  await take('a1', { owner: 'a' })
  await take('a2', { owner: 'a' })
  await take('b1', { owner: 'b' })
  await setSlow('a1', false)
  expect(events).toEqual(['a1'])
  pass(0.5)
  await setSlow('a1', false)
  expect(events.slice(1)).toEqual(['a1 pauses', 'b1'])
  pass(0.5)
  await setSlow('b1', false)
  expect(events.slice(3)).toEqual(['b1 pauses', 'a1 resumes'])
  await release('a1')
  expect(events.slice(5)).toEqual(['b1 resumes'])
  await release('b1')
  expect(events.slice(6)).toEqual(['a2'])
})

test('of users with equally many slots, the one who got a slot longest ago comes next', async () => {
  const { take, release, events } = scene(1, 1)
  for (const [owner, name] of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((one) => [one[0], one] as const))
    await take(name, { owner: owner! })
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) await release(name)
  expect(events).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test("a user's slow document does not make way for one of a user with as many slots", async () => {
  const { take, setSlow, events, states } = scene(2, 2)
  await take('a1', { owner: 'a' })
  await take('b1', { owner: 'b' })
  await take('a2', { owner: 'a' })
  pass(2)
  await setSlow('b1')
  expect(events).toEqual(['a1', 'b1'])
  await setSlow('a1')
  expect(states()).toEqual({ a1: 'paused', b1: 'slow', a2: 'running' })
})

test("a user's displaced document shares the slots while the documents of another user fill them", async () => {
  const { take, setSlow, release, events, states } = scene(1, 4)
  await take('b1', { owner: 'b' })
  await take('b2', { owner: 'b' })
  await setSlow('b1')
  for (const name of ['a1', 'a2', 'a3']) await take(name, { owner: 'a' })
  await release('b2')
  expect(events).toEqual(['b1', 'b1 pauses', 'b2', 'a1'])
  await release('a1')
  expect(events.slice(4)).toEqual(['b1 resumes'])
  expect(states()).toMatchObject({ b1: 'running' })
})

test("a user's endless documents leave places for those who come later", async () => {
  const { take, setSlow, states, events } = scene(1, 4)
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) await take(name, { owner: 'a' })
  for (const name of ['a1', 'a2', 'a3', 'a4']) await setSlow(name)
  expect(states()).toEqual({ a1: 'paused', a2: 'paused', a3: 'paused', a4: 'slow' })
  await take('b1', { owner: 'b' })
  expect(events.slice(-2)).toEqual(['a4 pauses', 'b1'])
})

test("a user's urgent requests do not hold up another user's", async () => {
  const { take, release, events } = scene(1, 1)
  for (const name of ['a1', 'a2', 'a3', 'a4']) await take(name, { owner: 'a', urgent: true })
  await take('b1', { owner: 'b', urgent: true })
  expect(events).toEqual(['a1', 'a2'])
  await release('a1')
  expect(events.slice(2)).toEqual(['b1'])
})

test("a user's endless urgent requests do not starve the documents of another user", async () => {
  const { take, release, events } = scene(1, 1)
  for (const name of ['a1', 'a2', 'a3', 'a4']) await take(name, { owner: 'a', urgent: true })
  await take('b1', { owner: 'b' })
  await take('b2', { owner: 'b' })
  expect(events).toEqual(['a1', 'a2'])
  await release('a1')
  expect(events.slice(2)).toEqual(['b1'])
  await release('b1')
  expect(events.slice(3)).toEqual(['b2'])
  await release('a2')
  expect(events.slice(4)).toEqual(['a3'])
})
