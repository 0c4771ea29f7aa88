import { onTestFinished, vi } from 'vitest'
import { countInMemory } from '../../src/core/rate-counter.ts'
import { counterConformance } from './rate-counter.ts'

counterConformance(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return { counters: countInMemory, endWindows: () => void vi.advanceTimersByTime(60_000) }
})
