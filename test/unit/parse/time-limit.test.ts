import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTimeLimit } from '../../../src/parse/time-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Whether the limit of 10 s is over after these seconds, for a process that had so much of the processor, in ms. */
async function overAfter(seconds: number, processorMs: (now: number) => number | null): Promise<boolean> {
  const began = Date.now()
  let over = false
  const limit = createTimeLimit({ owedMs: async () => processorMs(Date.now() - began) }, 10_000, () => (over = true))
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  limit.clear()
  return over
}

test('time is time for a process that need not yield', async () => {
  expect(await overAfter(9, () => null)).toBe(false)
  expect(await overAfter(10, () => null)).toBe(true)
})

test('a process that yields has its time when it had the processor for so long', async () => {
  expect(await overAfter(40, (now) => now / 10)).toBe(false)
  expect(await overAfter(25, (now) => now)).toBe(true)
})

test('but not for ever', async () => {
  expect(await overAfter(400, () => 0)).toBe(true)
})

test('a page begins it anew, and what has ended is not over', async () => {
  const over = vi.fn()
  const limit = createTimeLimit({ owedMs: async () => null }, 10_000, over)
  for (let i = 0; i < 3; i++) {
    await vi.advanceTimersByTimeAsync(9_000)
    limit.refresh()
  }
  limit.clear()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(over).not.toHaveBeenCalled()
})
