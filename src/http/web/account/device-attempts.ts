import { RateLimiterMemory } from 'rate-limiter-flexible'
import { consume, limited } from '../../middleware/rate-limit.ts'
import type { PageCall } from '../routing/page.ts'

const WINDOW_SECONDS = 15 * 60
/** Wrong codes from one browser's session. */
const FOR_SESSION = 10
/** From one address, behind which may be many people. */
const FOR_ADDRESS = 30

/**
 * User codes are short, so that people can type them: guessing one that somebody else waits with has to be hopeless (RFC 8628 section 5.1).
 */
export interface DeviceAttempts {
  /** Throws `rate_limited` where there were too many. Before any code is looked at, so that the right one is not told apart either. */
  check(call: PageCall): Promise<void>
  countWrong(call: PageCall): Promise<void>
}

export function deviceAttempts(): DeviceAttempts {
  const sessions = new RateLimiterMemory({ keyPrefix: 'session', points: FOR_SESSION, duration: WINDOW_SECONDS })
  const addresses = new RateLimiterMemory({ keyPrefix: 'address', points: FOR_ADDRESS, duration: WINDOW_SECONDS })
  const both = ({ ctx, login }: PageCall) =>
    [
      { limiter: sessions, key: login.session.id },
      { limiter: addresses, key: ctx.ip },
    ] as const

  return {
    async check(call) {
      for (const { limiter, key } of both(call)) {
        const state = await limiter.get(key)
        if (state !== null && state.consumedPoints >= limiter.points)
          throw limited(state, `More than ${limiter.points} wrong codes within 15 minutes.`, limiter.points)
      }
    },
    async countWrong(call) {
      for (const { limiter, key } of both(call)) await consume(limiter, key)
    },
  }
}
