import Koa from 'koa'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Metrics } from '../services/metrics.ts'
import type { HttpSettings } from './dependencies.ts'
import { hostCheck } from './middleware/host-check.ts'
import type { State } from './routing/context.ts'

/** Returns the application for the listener of `metrics.listen`. It serves the metrics to everyone who can reach it, and nothing else. */
export function createMetricsApp(options: {
  metrics: Metrics
  settings: Pick<HttpSettings, 'allowedHosts' | 'baseUrl'>
  log: Logger
}): Koa<State> {
  const { metrics, settings, log } = options
  const app = new Koa<State>()
  app.use(plainErrors(log))
  // A web page must not read the metrics through a name of its own (DNS rebinding).
  app.use(hostCheck(settings))
  app.use(async (ctx) => {
    if (ctx.path !== '/metrics') ctx.throw(404, 'Only /metrics is here.')
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') ctx.throw(405, 'Use GET.', { headers: { Allow: 'GET, HEAD' } })
    ctx.body = await metrics.textForOperator()
    ctx.set('Content-Type', metrics.contentType)
    ctx.set('Cache-Control', 'no-store')
  })
  app.on('error', (error: Error) => log.debug({ err: error }, 'metrics could not be sent'))
  return app
}

/** Answers errors as plain text. A program reads these answers, and a person reads them with curl. */
function plainErrors(log: Logger): Koa.Middleware<State> {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { status = 500, message = '', headers = {} } = error as { status?: number; message?: string; headers?: object }
      ctx.status = isDocsearchError(error, 'host_not_allowed') ? 403 : status
      if (ctx.status >= 500) log.error({ err: error }, 'metrics could not be read')
      ctx.set({ ...headers })
      ctx.body = `${ctx.status >= 500 ? 'Internal error. See the server log.' : message}\n`
    }
  }
}
