import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BackgroundTask } from '../../../src/core/background-task.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function newTask(work: () => Promise<void>) {
  const runs = vi.fn<() => Promise<void>>(work)
  const onFailure = vi.fn<(error: unknown) => void>()
  return { task: new BackgroundTask({ work: runs, onFailure }), runs, onFailure }
}

test('runs once more for all work that comes during a run', async () => {
  const ends: (() => void)[] = []
  const { task, runs } = newTask(() => new Promise((resolve) => ends.push(resolve)))
  for (let i = 0; i < 5; i++) task.start()
  expect([task.state, runs.mock.calls.length]).toEqual(['running', 1])
  ends.shift()!()
  await vi.advanceTimersByTimeAsync(0)
  expect([task.state, runs.mock.calls.length]).toEqual(['running', 2])
  ends.shift()!()
  await task.idle()
  expect([task.state, runs.mock.calls.length]).toEqual(['idle', 2])
})

test('repeats a failed run after growing pauses until it succeeds, however often it is started', async () => {
  let isBroken = true
  const { task, runs, onFailure } = newTask(async () => {
    if (isBroken) throw new TypeError('broken')
  })
  task.start()
  await task.idle()
  expect(task.state).toBe('waiting')
  for (let second = 0; second < 3_600; second++) {
    task.start()
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(runs.mock.calls.length).toBeGreaterThan(10)
  expect(runs.mock.calls.length).toBeLessThan(30)
  expect(onFailure).toHaveBeenCalledTimes(runs.mock.calls.length)
  isBroken = false
  await vi.advanceTimersByTimeAsync(600_000)
  expect(task.state).toBe('idle')
  const before = runs.mock.calls.length
  task.start()
  await task.idle()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(runs).toHaveBeenCalledTimes(before + 1)
})

test('starts no run after it was stopped, and stopping waits for the run in progress', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  const { task, runs, onFailure } = newTask(() => promise)
  task.start()
  task.start()
  let isStopped = false
  const stopped = task.stop().then(() => (isStopped = true))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(isStopped).toBe(false)
  reject(new Error('closed'))
  await stopped
  task.start()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect([runs.mock.calls.length, onFailure.mock.calls.length]).toEqual([1, 0])
})
