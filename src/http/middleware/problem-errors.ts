import type { Logger } from '../../core/logger.ts'
import { drainer } from './drain.ts'
import { toProblem } from '../problems/problems.ts'
import type { Problem } from '../../contract/common.ts'
import type { Ctx, Middleware } from '../routing/context.ts'
import { challenge } from './challenge.ts'

/** Shows an error to a person in a browser. Handed in, so that middleware/ doesn't import from web/. */
interface ErrorPages {
  wantsPage(ctx: Ctx): boolean
  showErrorPage(ctx: Ctx, problem: Problem): void
}

/** Turns every error of the later steps into an RFC 9457 answer, or into an error page. Logs the errors that are the instance's fault. */
export function problemErrors(log: Logger, baseUrl: () => string, pages: ErrorPages): Middleware {
  const drain = drainer()
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { problem, headers } = toProblem(error, ctx.state.requestId, baseUrl())
      if (problem.status >= 500 && !ctx.res.closed)
        log.error({ request_id: ctx.state.requestId, route: ctx.state.route, err: error }, 'request failed')
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value)
      const authenticate = challenge(problem, ctx.state.access, { baseUrl: baseUrl(), path: ctx.state.resource ?? '' })
      if (authenticate !== null) ctx.set('WWW-Authenticate', authenticate)
      if (pages.wantsPage(ctx)) pages.showErrorPage(ctx, problem)
      else showProblem(ctx, problem)
      ctx.set('Cache-Control', 'no-store')
      ctx.remove('Content-Disposition')
    } finally {
      // A client that is still sending must be able to read why it was refused.
      drain(ctx)
    }
  }
}

function showProblem(ctx: Ctx, problem: Problem): void {
  ctx.status = problem.status
  ctx.body = JSON.stringify(problem)
  ctx.type = 'application/problem+json'
}
