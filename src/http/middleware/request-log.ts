import type { Logger } from '../../core/logger.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * Logs one line for each request once it is answered. It has the route's pattern instead of the path when there is one, and never the query,
 * because both can contain what a user looked for. Headers and bodies are never logged.
 */
export function requestLog(log: Logger): Middleware {
  return async (ctx, next) => {
    const started = performance.now()
    ctx.res.once('close', () => {
      const fields = {
        request_id: ctx.state.requestId,
        method: ctx.method,
        route: ctx.state.route ?? ctx.path.slice(0, 200),
        status: ctx.res.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        bytes: Number(ctx.res.getHeader('content-length') ?? 0) || 0,
        user_id: ctx.state.principal?.userId ?? ctx.state.login?.user.id ?? null,
        ...(ctx.res.writableFinished ? {} : { aborted: true }),
      }
      if (fields.status >= 500) log.error(fields, 'request')
      else log.info(fields, 'request')
    })
    await next()
  }
}
