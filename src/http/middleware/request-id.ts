import { newId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import type { Middleware } from '../routing/context.ts'

const SANE = /^[A-Za-z0-9._-]{8,128}$/

/** Names the request. One sent along is taken when it cannot break a log line. */
export function requestId(clock: Clock): Middleware {
  return async (ctx, next) => {
    const sent = ctx.get('X-Request-Id')
    ctx.state.requestId = SANE.test(sent) ? sent : newId('req', clock.now())
    ctx.set('X-Request-Id', ctx.state.requestId)
    await next()
  }
}
