import { isDocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { shorten } from '../../core/text-limits.ts'
import { networkOf } from '../../core/network.ts'
import { countInMemory } from '../../core/rate-counter.ts'
import { OAuthError } from '../../oauth/errors.ts'
import { limited } from '../middleware/rate-limit.ts'
import { statusOf } from '../problems/problems.ts'
import type { Ctx, Middleware } from '../routing/context.ts'
import type { HttpSettings } from '../dependencies.ts'

/** Wrong secrets, codes and tokens from one address. A faulty program sends far fewer, and nobody can guess one. */
export const MAX_FAILURES = 600
const WINDOW_SECONDS = 15 * 60
const RETRY_SECONDS = 5
const MAX_DESCRIPTION_CHARS = 400

/**
 * Answers errors of the OAuth endpoints in the form of RFC 6749 section 5.2, which clients understand. Logs the errors that are the instance's
 * fault. Answers 429 after too many wrong secrets from one address. Correct secrets from that address still work: they have 256 random bits, so
 * blocking everyone behind a shared proxy would not make guessing any harder.
 */
export function oauthErrors({
  log,
  settings,
}: {
  log: Logger
  settings: Pick<HttpSettings, 'rateLimit' | 'counters'>
}): Middleware {
  const { rateLimit, counters = countInMemory } = settings
  const failures = rateLimit === 0 ? null : counters({ name: 'oauth', limit: MAX_FAILURES, seconds: WINDOW_SECONDS })

  async function countFailure(ctx: Ctx, error: unknown): Promise<unknown> {
    if (failures === null || !isGuess(error)) return error
    const state = await failures.take(networkOf(ctx.ip))
    return state.isOver
      ? limited(state, `You sent more than ${MAX_FAILURES} wrong secrets, codes or tokens within 15 minutes.`)
      : error
  }

  return async (ctx, next) => {
    // RFC 6749 section 5.1, in addition to the `Cache-Control: no-store` of every answer.
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
      refuse(ctx, new OAuthError('server_error', 'Internal error. See the server log.', { status }))
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
  ctx.body = { error: code, error_description: shorten(description, MAX_DESCRIPTION_CHARS) }
}
