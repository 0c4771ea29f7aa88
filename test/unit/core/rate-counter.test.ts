import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RateCounter } from '../../../src/core/rate-counter.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const pass = (seconds: number) => void vi.advanceTimersByTime(seconds * 1000)

test('a key is over its limit until its window ends', () => {
  const counter = new RateCounter({ limit: 2, seconds: 60 })
  expect(counter.take('a')).toEqual({ isOver: false, limit: 2, remaining: 1, resetMs: 60_000 })
  pass(10)
  expect(counter.take('a')).toEqual({ isOver: false, limit: 2, remaining: 0, resetMs: 50_000 })
  expect(counter.take('a')).toEqual({ isOver: true, limit: 2, remaining: 0, resetMs: 50_000 })
  expect(counter.take('b').isOver).toBe(false)
  pass(50)
  expect(counter.take('a')).toMatchObject({ isOver: false, remaining: 1 })
})

test('peek returns the state after the next event without counting it', () => {
  const counter = new RateCounter({ limit: 1, seconds: 60 })
  expect([counter.peek('a').isOver, counter.peek('a').isOver, counter.size]).toEqual([false, false, 0])
  counter.take('a')
  expect(counter.peek('a').isOver).toBe(true)
})

test('an event can be taken back while its window lasts', () => {
  const counter = new RateCounter({ limit: 1, seconds: 60 })
  counter.take('a')
  counter.takeBack('a')
  expect(counter.take('a').isOver).toBe(false)
  pass(60)
  counter.takeBack('a')
  expect([counter.take('a').isOver, counter.take('a').isOver]).toEqual([false, true])
})

test('windows that have ended leave the memory', () => {
  const counter = new RateCounter({ limit: 1, seconds: 60 })
  for (let i = 0; i < 100; i++) counter.take(`key ${i}`)
  pass(60)
  counter.take('new')
  expect(counter.size).toBe(1)
})

test('a million keys take no more memory than the limit, and the newest are kept', () => {
  const counter = new RateCounter({ limit: 1, seconds: 60, maxKeys: 1000 })
  for (let i = 0; i < 1_000_000; i++) counter.take(`key ${i}`)
  expect(counter.size).toBe(1000)
  expect([counter.peek('key 999999').isOver, counter.peek('key 999000').isOver, counter.peek('key 0').isOver]).toEqual([
    true,
    true,
    false,
  ])
})
