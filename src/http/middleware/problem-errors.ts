import type { Logger } from '../../core/logger.ts'
import { drain } from './drain.ts'
import { toProblem } from '../problems/problems.ts'
import type { Problem } from '../../contract/common.ts'
import type { Ctx, Middleware } from '../routing/context.ts'
import { challenge } from './challenge.ts'

/** How a person in a browser is answered. Handed in, because pages are above the middleware. */
interface ErrorPages {
  wantsPage(ctx: Ctx): boolean
  showErrorPage(ctx: Ctx, problem: Problem): void
}

/** Whatever is thrown further down becomes an RFC 9457 answer, or a page for a person; what is our fault is logged with its causes. */
export function problemErrors(log: Logger, baseUrl: () => string, pages: ErrorPages): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { problem, headers } = toProblem(error, ctx.state.requestId, baseUrl())
      if (problem.status >= 500 && !ctx.res.closed)
        log.error({ request_id: ctx.state.requestId, route: ctx.state.route, err: error }, 'request failed')
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value)
      const authenticate = challenge(problem, baseUrl())
      if (authenticate !== null) ctx.set('WWW-Authenticate', authenticate)
      if (pages.wantsPage(ctx)) pages.showErrorPage(ctx, problem)
      else showProblem(ctx, problem)
      ctx.set('Cache-Control', 'no-store')
      ctx.remove('Content-Disposition')
    } finally {
      // A client that is still sending has to be able to read why it was refused.
      drain(ctx.req)
    }
  }
}

function showProblem(ctx: Ctx, problem: Problem): void {
  ctx.status = problem.status
  ctx.body = JSON.stringify(problem)
  ctx.type = 'application/problem+json'
}
