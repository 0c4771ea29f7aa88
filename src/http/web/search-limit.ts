import { RateLimiterMemory } from 'rate-limiter-flexible'
import { consume, limited } from '../middleware/rate-limit.ts'
import type { PageCall } from './page.ts'

/** As many searches a minute for one browser as a key has requests; throws `rate_limited`. */
export function searchLimit(): (call: PageCall) => Promise<void> {
  let limiter: RateLimiterMemory | undefined
  return async ({ login, services }) => {
    const points = services.http.rateLimit
    if (points === 0) return
    limiter ??= new RateLimiterMemory({ points, duration: 60 })
    const { isOver, state } = await consume(limiter, login.session.id)
    if (isOver) throw limited(state, `More than the limit of ${points} searches within a minute.`, points)
  }
}
