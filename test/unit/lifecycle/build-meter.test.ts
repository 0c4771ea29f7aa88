import { expect, test } from 'vitest'
import { BuildMeter } from '../../../src/lifecycle/build-meter.ts'

const stored = (passagesDone: number) => ({ done: 0, total: 10, passagesDone, passagesTotal: 1000 })

test('counts what is embedded before the first commit, and tells the time that is left', () => {
  const embedder = { work: { passages: 7 }, tokensPerSecond: null as number | null }
  let now = 5_000
  const meter = new BuildMeter(embedder, 200, () => now)
  expect(meter.progress(stored(200))).toMatchObject({ passagesDone: 200, secondsLeft: null, tokensPerSecond: null })
  embedder.work.passages += 40
  embedder.tokensPerSecond = 850
  now += 10_000
  // 40 passages in 10 seconds, and 760 are left.
  expect(meter.progress(stored(200))).toMatchObject({ passagesDone: 240, secondsLeft: 190, tokensPerSecond: 850 })
  expect(meter.progress(stored(600))).toMatchObject({ passagesDone: 600, secondsLeft: 10 })
  embedder.work.passages += 5000
  expect(meter.progress(stored(600))).toMatchObject({ passagesDone: 1000, secondsLeft: 0 })
})

test('the time that is left follows the speed of the last minute', () => {
  const embedder = { work: { passages: 0 }, tokensPerSecond: 100 }
  let now = 0
  const meter = new BuildMeter(embedder, 0, () => now)
  const after = (seconds: number, passages: number) => {
    now += seconds * 1000
    embedder.work.passages += passages
    return meter.progress(stored(0)).secondsLeft
  }
  expect(after(40, 4)).toBe(9960)
  // One passage in ten seconds at first, then ten in one second.
  after(30, 300)
  expect(after(30, 300)).toBeLessThan(45)
})
