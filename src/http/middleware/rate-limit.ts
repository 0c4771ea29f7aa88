import { DocsearchError } from '../../core/errors.ts'
import { networkOf } from '../../core/network.ts'
import { waitText } from '../../core/wait-text.ts'
import { countInMemory, type Counter, type MakeCounter, type RateState } from '../../core/rate-counter.ts'
import { noTelemetry, type RateLimit, type Telemetry } from '../../core/telemetry.ts'
import type { HttpSettings } from '../dependencies.ts'
import type { Ctx, Middleware } from '../routing/context.ts'

const WINDOW_SECONDS = 60
/** Wrong credentials a minute from one address. Nobody can guess a key; the limit only spares the database and the log. */
const MAX_FAILURES = 120

export interface RateLimits {
  /** Counts a request for its credential or session and for that user. Counts a request without either for its address. */
  step: Middleware
  /** Counts a refused credential for its address. Throws `rate_limited` above the limit. Valid credentials from that address still work. */
  countFailure(ctx: Ctx): Promise<void>
}

/** Counts requests. The API and the views share the counters, so a user has one budget for both. */
export function rateLimits(
  settings: Pick<HttpSettings, 'rateLimit' | 'userRateLimit' | 'counters'>,
  telemetry: Telemetry = noTelemetry,
): RateLimits {
  if (settings.rateLimit === 0) return { step: (_ctx, next) => next(), async countFailure() {} }
  const budgets = new Budgets(settings)
  const { counters = countInMemory } = settings
  const failures = counters({ name: 'failures', limit: MAX_FAILURES, seconds: WINDOW_SECONDS })

  return {
    async step(ctx, next) {
      const { state, who, limit } = await budgets.take(ctx)
      ctx.set('RateLimit-Limit', String(state.limit))
      ctx.set('RateLimit-Remaining', String(state.remaining))
      ctx.set('RateLimit-Reset', String(seconds(state)))
      if (state.isOver) {
        telemetry.note({ type: 'rate_limited', limit })
        throw limited(state, `${who} sent more than the limit of ${state.limit} requests within a minute.`)
      }
      await next()
    },
    async countFailure(ctx) {
      const state = await failures.take(networkOf(ctx.ip))
      if (!state.isOver) return
      telemetry.note({ type: 'rate_limited', limit: 'failures' })
      throw limited(state, `You sent more than ${MAX_FAILURES} wrong credentials within a minute.`)
    },
  }
}

/** The requests that each credential, user and address may send within a minute. */
class Budgets {
  readonly #credentials: Counter
  readonly #users: Counter | null
  readonly #addresses: Counter

  constructor({ rateLimit, userRateLimit, counters = countInMemory }: Parameters<typeof rateLimits>[0]) {
    const counter = (name: string, limit: number) => counters({ name, limit, seconds: WINDOW_SECONDS })
    this.#credentials = counter('credentials', rateLimit)
    this.#users = userRateLimit === 0 ? null : counter('users', userRateLimit)
    this.#addresses = counter('addresses', rateLimit)
  }

  /** Counts a request, and returns the budget that has the least left. */
  async take(ctx: Ctx): Promise<{ state: RateState; who: string; limit: RateLimit }> {
    const caller = callerOf(ctx)
    if (caller === null) return { state: await this.#addresses.take(networkOf(ctx.ip)), who: 'Your address', limit: 'address' }
    const own = { state: await this.#credentials.take(caller.credentialId), who: caller.who, limit: 'credential' } as const
    // A credential over its limit must not use up the budget of the user's other credentials.
    if (own.state.isOver || this.#users === null) return own
    const who = 'All your keys, applications and browsers together'
    const all = { state: await this.#users.take(caller.userId), who, limit: 'user' } as const
    return all.state.isOver || all.state.remaining < own.state.remaining ? all : own
  }
}

function callerOf(ctx: Ctx): { credentialId: string; userId: string; who: string } | null {
  const { principal, login } = ctx.state
  if (principal !== undefined) return { ...principal, who: 'This key or application' }
  if (login !== undefined) return { credentialId: login.session.id, userId: login.user.id, who: 'This browser' }
  return null
}

/** Limits the requests from one address, for operations that need no credential but still cost something. */
export function addressLimit(
  { requests, seconds: duration }: { requests: number; seconds: number },
  {
    name,
    counters = countInMemory,
    telemetry = noTelemetry,
  }: { name: string; counters?: MakeCounter | undefined; telemetry?: Telemetry | undefined },
): Middleware {
  const counter = counters({ name, limit: requests, seconds: duration })
  return async (ctx, next) => {
    const state = await counter.take(networkOf(ctx.ip))
    if (state.isOver) {
      telemetry.note({ type: 'rate_limited', limit: 'endpoint' })
      throw limited(state, `You sent more than ${requests} of these requests within ${duration / 60} minutes.`)
    }
    await next()
  }
}

/** `why` is a sentence, to which the time to wait is added. */
export function limited(state: RateState, why: string): DocsearchError {
  return new DocsearchError('rate_limited', `${why} Try again in ${waitText(seconds(state))}.`, {
    retryAfter: seconds(state),
    details: { limit: state.limit },
  })
}

function seconds({ resetMs }: RateState): number {
  return Math.max(1, Math.ceil(resetMs / 1000))
}
