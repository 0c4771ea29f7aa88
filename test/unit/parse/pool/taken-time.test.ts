import { expect, test } from 'vitest'
import { createTakenTime } from '../../../../src/parse/pool/taken-time.ts'

/** What counts after these seconds of the clock, looked at ten times a second, for a process that took so much of the processor, in ms. */
function takenAfter(
  seconds: number,
  { processor, runnable, paused = false }: { processor: (now: number) => number | null; runnable: boolean; paused?: boolean },
) {
  let now = 0
  const usage = () => ({ processorMs: processor(now), runnable, paused, rss: 0 })
  const time = createTakenTime({ usage }, () => now)
  const pass = (more: number): void => {
    for (let i = 0; i < more * 10; i++) {
      now += 100
      time.look()
    }
  }
  pass(seconds)
  const skip = (ms: number): void => {
    now += ms
    time.look()
  }
  return { time, pass, skip }
}

test('a process that computes has taken what it got of the processor, however long others had it', () => {
  const { time } = takenAfter(40, { processor: (now) => now / 50, runnable: true })
  expect(time.inAllMs).toBeCloseTo(800)
})

test('no more than the clock, though several of its threads compute', () => {
  expect(takenAfter(4, { processor: (now) => now * 3, runnable: true }).time.inAllMs).toBe(4_000)
})

test('a process that waits for something else has taken the time of the clock, for it may wait for ever', () => {
  expect(takenAfter(10, { processor: () => 50, runnable: false }).time.inAllMs).toBe(10_000)
})

test('so has one of which the system does not tell', () => {
  expect(takenAfter(10, { processor: () => null, runnable: false }).time.inAllMs).toBe(10_000)
})

test('a process that stands still has taken what it computed before, whether the system tells that or not', () => {
  expect(takenAfter(100, { processor: (now) => Math.min(now, 300), runnable: false, paused: true }).time.inAllMs).toBe(300)
  expect(takenAfter(100, { processor: () => null, runnable: false, paused: true }).time.inAllMs).toBe(0)
})

test('a look that comes late, because this process was busy, does not count as time that the document waited', () => {
  const { time, skip } = takenAfter(0, { processor: () => 50, runnable: false })
  skip(5_000)
  expect(time.inAllMs).toBe(200)
})

test('a page begins the time without one anew, and not the time in all', () => {
  const { time, pass } = takenAfter(3, { processor: (now) => now, runnable: true })
  time.came()
  pass(2)
  expect([time.sinceCameMs, time.inAllMs]).toEqual([2_000, 5_000])
})
