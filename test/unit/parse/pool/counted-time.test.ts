import { expect, test } from 'vitest'
import { CountedTime } from '../../../../src/parse/pool/run-job.ts'

interface FakeProcess {
  /** Processor time at a time of the clock, both in milliseconds. */
  processorMs: (now: number) => number | null
  isComputing: boolean
  isPaused?: boolean
}

/** Measures ten times a second, for as many seconds. */
function measured(seconds: number, { processorMs, isComputing, isPaused = false }: FakeProcess) {
  let now = 0
  const usage = () => ({ processorMs: processorMs(now), isComputing, isPaused, rss: 0 })
  const time = new CountedTime({ usage }, () => now)
  const passMs = (ms: number): void => {
    now += ms
    time.measure()
  }
  const pass = (more: number): void => {
    for (let i = 0; i < more * 10; i++) passMs(100)
  }
  pass(seconds)
  return { time, pass, passMs }
}

test('counts the processor time of a process that computes, however long it waits for the processor', () => {
  const { time } = measured(40, { processorMs: (now) => now / 50, isComputing: true })
  expect(time.totalMs).toBeCloseTo(800)
})

test('counts no more than the clock if several threads compute', () => {
  expect(measured(4, { processorMs: (now) => now * 3, isComputing: true }).time.totalMs).toBe(4_000)
})

test('counts the clock for a process that waits for something else, because it may wait forever', () => {
  expect(measured(10, { processorMs: () => 50, isComputing: false }).time.totalMs).toBe(10_000)
})

test('counts the clock where the system tells no processor time', () => {
  expect(measured(10, { processorMs: () => null, isComputing: false }).time.totalMs).toBe(10_000)
})

test('counts nothing while the process is paused', () => {
  const paused = { isComputing: false, isPaused: true }
  expect(measured(100, { processorMs: (now) => Math.min(now, 300), ...paused }).time.totalMs).toBe(300)
  expect(measured(100, { processorMs: () => null, ...paused }).time.totalMs).toBe(0)
})

test('counts at most 200 ms of waiting when the daemon measures late', () => {
  const { time, passMs } = measured(0, { processorMs: () => 50, isComputing: false })
  passMs(5_000)
  expect(time.totalMs).toBe(200)
})

test('progress resets the time since the last page but not the total', () => {
  const { time, pass } = measured(3, { processorMs: (now) => now, isComputing: true })
  time.noteProgress()
  pass(2)
  expect([time.sinceProgressMs, time.totalMs]).toEqual([2_000, 5_000])
})
