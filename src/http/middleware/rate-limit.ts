import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { DocsearchError } from '../../core/errors.ts'
import type { Ctx, Middleware } from '../routing/context.ts'

const WINDOW_SECONDS = 60
/** Wrong credentials a minute from one address. Nobody can guess a key; the limit only spares the database and the log. */
const MAX_FAILURES = 120

export interface RateLimits {
  /** Counts a request for the credential, or for the address when there is no credential. */
  step: Middleware
  /** Counts a refused credential for its address. Throws `rate_limited` above the limit. Valid credentials from that address still work. */
  countFailure(ctx: Ctx): Promise<void>
}

/** Limits each credential to `perMinute` requests a minute, counted in memory; 0 for no limits. */
export function rateLimits(perMinute: number): RateLimits {
  if (perMinute === 0) return { step: (_ctx, next) => next(), async countFailure() {} }
  const requests = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
  const failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS })

  return {
    async step(ctx, next) {
      const { principal } = ctx.state
      const key = principal === undefined ? `address ${ctx.ip}` : `credential ${principal.credentialId}`
      const { isOver, state } = await consume(requests, key)
      ctx.set('RateLimit-Limit', String(perMinute))
      ctx.set('RateLimit-Remaining', String(state.remainingPoints))
      ctx.set('RateLimit-Reset', String(seconds(state)))
      if (isOver) throw limited(state, tooMany(perMinute), perMinute)
      await next()
    },
    async countFailure(ctx) {
      const { isOver, state } = await consume(failures, ctx.ip)
      if (isOver) throw limited(state, tooMany(MAX_FAILURES), MAX_FAILURES)
    },
  }
}

/** Limits the requests from one address, for operations that need no credential but still cost something. */
export function addressLimit({ requests, seconds: duration }: { requests: number; seconds: number }): Middleware {
  const limiter = new RateLimiterMemory({ points: requests, duration })
  return async (ctx, next) => {
    const { isOver, state } = await consume(limiter, ctx.ip)
    if (isOver)
      throw limited(state, `You sent more than ${requests} of these requests within ${duration / 60} minutes.`, requests)
    await next()
  }
}

export async function consume(limiter: RateLimiterMemory, key: string): Promise<{ isOver: boolean; state: RateLimiterRes }> {
  try {
    return { isOver: false, state: await limiter.consume(key) }
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    return { isOver: true, state: refused }
  }
}

function tooMany(limit: number): string {
  return `You sent more than the limit of ${limit} requests within a minute.`
}

/** `why` is a sentence, to which the time to wait is added. */
export function limited(state: RateLimiterRes, why: string, limit: number): DocsearchError {
  return new DocsearchError('rate_limited', `${why} Try again in ${seconds(state)} s (see Retry-After).`, {
    retryAfter: seconds(state),
    details: { limit },
  })
}

function seconds(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000))
}
