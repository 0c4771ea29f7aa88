import { newId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import type { Middleware } from '../routing/context.ts'

const SAFE = /^[A-Za-z0-9._-]{8,128}$/

/** Gives the request an id. An id that the client sent is used if it can't break a log line. */
export function requestId(clock: Clock): Middleware {
  return async (ctx, next) => {
    const sent = ctx.get('X-Request-Id')
    ctx.state.requestId = SAFE.test(sent) ? sent : newId('req', clock.now())
    ctx.set('X-Request-Id', ctx.state.requestId)
    await next()
  }
}
