import type { Clock } from '../../src/core/clock.ts'

export interface TestClock extends Clock {
  advance(ms: number): void
}

/** A clock that moves only when a test moves it. */
export function testClock(start = '2026-01-01T00:00:00Z'): TestClock {
  let now = Date.parse(start)
  return {
    now: () => new Date(now),
    advance(ms) {
      now += ms
    },
  }
}
