import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RetryTimer } from '../../../src/lifecycle/retry-timer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('pauses twice as long after each attempt, and ends with the one that succeeds', async () => {
  let attempts = 0
  new RetryTimer(
    async () => ++attempts === 3,
    () => {},
  ).start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(attempts).toBe(1)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(attempts).toBe(1)
  await vi.advanceTimersByTimeAsync(1 + 4_000)
  expect(attempts).toBe(3)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toBe(3)
})

test('reports an attempt that throws, and tries again after a minute', async () => {
  const errors: unknown[] = []
  let attempts = 0
  const timer = new RetryTimer(
    async () => {
      attempts += 1
      throw new Error('broken')
    },
    (error) => errors.push(error),
  )
  timer.start()
  await vi.advanceTimersByTimeAsync(1_000 + 60_000)
  expect([attempts, errors.length]).toEqual([2, 2])
  timer.stop()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts).toBe(2)
})

test('an attempt that is under way when it stops is the last one', async () => {
  let finish: (isDone: boolean) => void = () => {}
  const timer = new RetryTimer(
    () => new Promise((resolve) => (finish = resolve)),
    () => {},
  )
  timer.start()
  await vi.advanceTimersByTimeAsync(1_000)
  timer.stop()
  finish(false)
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(0)
})
