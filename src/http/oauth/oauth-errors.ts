import { RateLimiterMemory } from 'rate-limiter-flexible'
import { isDocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { OAuthError } from '../../oauth/errors.ts'
import { consume, limited } from '../middleware/rate-limit.ts'
import { statusOf } from '../problems/problems.ts'
import type { Ctx, Middleware } from '../routing/context.ts'
import type { HttpSettings } from '../dependencies.ts'

/** Wrong secrets, codes and tokens from one address: far more than a program with a mistake in it sends, and none of them can be guessed. */
export const FAILURES = 600
const WINDOW_SECONDS = 15 * 60
const RETRY_SECONDS = 5

/**
 * Whatever goes wrong at an OAuth endpoint is told in the words of RFC 6749 section 5.2, which is what clients understand; what is our fault is logged.
 * Too many wrong secrets from one address are answered with 429. Right ones go on: all of them have 256 random bits, so nobody is kept from guessing by
 * shutting out those who share a proxy with them.
 */
export function oauthErrors({ log, settings }: { log: Logger; settings: Pick<HttpSettings, 'rateLimit'> }): Middleware {
  const failures = settings.rateLimit === 0 ? null : new RateLimiterMemory({ points: FAILURES, duration: WINDOW_SECONDS })

  async function countFailure(ctx: Ctx, error: unknown): Promise<unknown> {
    if (failures === null || !isGuess(error)) return error
    const { isOver, state } = await consume(failures, ctx.ip)
    return isOver ? limited(state, `More than ${FAILURES} wrong secrets, codes or tokens within 15 minutes.`, FAILURES) : error
  }

  return async (ctx, next) => {
    // RFC 6749 section 5.1, beside the `Cache-Control: no-store` that every answer has.
    ctx.set('Pragma', 'no-cache')
    try {
      await next()
    } catch (thrown) {
      const error = await countFailure(ctx, thrown)
      if (error instanceof OAuthError) return refuse(ctx, error)
      if (isDocsearchError(error, 'rate_limited')) return refuse(ctx, busy(429, error.message), error.retryAfter)
      if (!ctx.res.closed) log.error({ request_id: ctx.state.requestId, route: ctx.state.route, err: error }, 'request failed')
      const status = Math.max(500, statusOf(error))
      if (status === 503)
        return refuse(ctx, busy(status, 'The instance cannot do this right now. Try again shortly.'), RETRY_SECONDS)
      refuse(ctx, new OAuthError('server_error', 'The instance failed. Its log has the reason.', { status }))
    }
  }
}

function isGuess(error: unknown): boolean {
  return error instanceof OAuthError && (error.code === 'invalid_client' || error.code === 'invalid_grant')
}

function busy(status: number, description: string): OAuthError {
  return new OAuthError('temporarily_unavailable', description, { status })
}

function refuse(ctx: Ctx, { code, description, status, isBasicRefused }: OAuthError, retryAfter?: number): void {
  if (isBasicRefused && status === 401) ctx.set('WWW-Authenticate', 'Basic realm="docsearch", charset="UTF-8"')
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter))
  ctx.status = status
  ctx.body = { error: code, error_description: description }
}
