import Koa from 'koa'
import { noTelemetry } from '../core/telemetry.ts'
import { apiTable } from './api/index.ts'
import type { State } from './routing/context.ts'
import type { Dependencies, HttpSettings } from './dependencies.ts'
import { anonymousCaller, callerAddress, requestId, requestLog, requestTelemetry } from './middleware/request.ts'
import { basePath } from './middleware/base-path.ts'
import { crossOrigin, hostCheck, queryCheck, securityHeaders, forwardedWarning } from './middleware/guards.ts'
import { OpenStreams } from './middleware/open-streams.ts'
import { rateLimits } from './middleware/rate-limit.ts'
import { problemErrors } from './middleware/problem-errors.ts'
import { apiRouter, notFound } from './routing/router.ts'
import { pages } from './web/index.ts'
import { showErrorPage, wantsPage } from './web/routing/page-errors.ts'
import { pageRouter } from './web/routing/router.ts'
import type { Health } from '../services/health.ts'
import { presentHealth } from './api/instance/routes.ts'
import { fail } from './problems/problems.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Metrics } from '../services/metrics.ts'

/** Codes of a connection that the client closed while it got its answer. */
const CLIENT_GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Returns the whole HTTP surface: API, OAuth endpoints and pages. serve/ listens with it; tests call it on a free port. */
export function createApp(dependencies: Dependencies): Koa<State> {
  const { settings, clock, telemetry = noTelemetry } = dependencies
  const app = new Koa<State>({ proxy: settings.trustProxy, maxIpsCount: settings.trustProxy ? 1 : 0 })
  const log = dependencies.log.child({ part: 'http' })

  app.use(basePath(settings))
  app.use(callerAddress())
  app.use(anonymousCaller())
  app.use(requestId(clock))
  app.use(requestTelemetry(telemetry))
  app.use(requestLog(log))
  app.use(forwardedWarning(settings, log))
  app.use(securityHeaders())
  app.use(crossOrigin())
  app.use(problemErrors(log, settings.baseUrl, { wantsPage, showErrorPage }))
  app.use(hostCheck(settings))
  app.use(queryCheck())
  const limits = rateLimits(settings, telemetry)
  const parts = { ...dependencies, openStreams: new OpenStreams(settings.limits.eventStreams, telemetry) }
  for (const step of pageRouter(pages(parts), parts, limits)) app.use(step)
  for (const step of apiRouter(apiTable(parts).routes, parts, limits)) app.use(step)
  app.use(notFound(wantsPage))

  // Errors before the answer began are answered by problemErrors. Only later ones arrive here.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!CLIENT_GONE.has(error.code ?? '')) log.error({ err: error }, 'answer broke off')
  })
  return app
}

/** Returns the application of a process with the role `worker`. It answers only the health check. */
export function createWorkerApp(
  parts: Pick<Dependencies, 'settings' | 'clock' | 'log' | 'version'> & { health: Pick<Health, 'recent'> },
): Koa<State> {
  const { health, settings, clock, version } = parts
  const app = new Koa<State>()
  const log = parts.log.child({ part: 'http' })
  app.use(basePath(settings))
  app.use(requestId(clock))
  app.use(requestLog(log))
  app.use(securityHeaders())
  app.use(problemErrors(log, settings.baseUrl, { wantsPage: () => false, showErrorPage: () => {} }))
  app.use(hostCheck(settings))
  app.use(async (ctx) => {
    if (ctx.path !== '/api/v1/health' || (ctx.method !== 'GET' && ctx.method !== 'HEAD'))
      throw fail(
        'not_found',
        'This process is a worker and answers only /api/v1/health. Send the request to a process with the role api or all.',
      )
    const report = await health.recent()
    if (report.status === 'unavailable') {
      ctx.status = 503
      ctx.set('Retry-After', '10')
    }
    ctx.body = presentHealth(report, version, { isDetailed: false })
  })
  return app
}

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
