import { networkOf } from '../../../core/network.ts'
import { countInMemory, type MakeCounter } from '../../../core/rate-counter.ts'
import { limited } from '../../middleware/rate-limit.ts'
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

export function deviceAttempts(counters: MakeCounter = countInMemory): DeviceAttempts {
  const sessions = counters({ name: 'device_sessions', limit: MAX_FOR_SESSION, seconds: WINDOW_SECONDS })
  const addresses = counters({ name: 'device_addresses', limit: MAX_FOR_ADDRESS, seconds: WINDOW_SECONDS })
  const both = ({ ctx, login }: PageCall) =>
    [
      { counter: sessions, key: login.session.id },
      { counter: addresses, key: networkOf(ctx.ip) },
    ] as const

  return {
    async check(call) {
      for (const { counter, key } of both(call)) {
        const state = await counter.peek(key)
        if (state.isOver) throw limited(state, `You entered more than ${counter.limit} wrong codes within 15 minutes.`)
      }
    },
    async countWrong(call) {
      for (const { counter, key } of both(call)) await counter.take(key)
    },
  }
}
