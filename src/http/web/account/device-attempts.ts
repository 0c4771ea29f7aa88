import { RateLimiterMemory } from 'rate-limiter-flexible'
import { consume, limited } from '../../middleware/rate-limit.ts'
import type { PageCall } from '../routing/page.ts'

const WINDOW_SECONDS = 15 * 60
/** Wrong codes for one browser session. */
const MAX_FOR_SESSION = 10
/** Wrong codes for one address, which many users may share. */
const MAX_FOR_ADDRESS = 30

/**
 * Limits wrong user codes. The codes are short, so that users can type them, and nobody may guess the code of another user's device
 * (RFC 8628 section 5.1).
 */
export interface DeviceAttempts {
  /** Throws `rate_limited` after too many wrong codes. Call it before looking at a code, so that it refuses the right code too. */
  check(call: PageCall): Promise<void>
  countWrong(call: PageCall): Promise<void>
}

export function deviceAttempts(): DeviceAttempts {
  const sessions = new RateLimiterMemory({ keyPrefix: 'session', points: MAX_FOR_SESSION, duration: WINDOW_SECONDS })
  const addresses = new RateLimiterMemory({ keyPrefix: 'address', points: MAX_FOR_ADDRESS, duration: WINDOW_SECONDS })
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
          throw limited(state, `You entered more than ${limiter.points} wrong codes within 15 minutes.`, limiter.points)
      }
    },
    async countWrong(call) {
      for (const { limiter, key } of both(call)) await consume(limiter, key)
    },
  }
}
