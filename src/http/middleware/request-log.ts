import type { Logger } from '../../core/logger.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * One line a request, once its answer is out. The route's pattern stands for the path where there is one, and the
 * query never does: both can hold what a user looked for. Headers and bodies are never logged.
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
