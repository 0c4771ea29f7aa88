import Koa from 'koa'
import { noTelemetry } from '../core/telemetry.ts'
import { apiTable } from './api/index.ts'
import type { State } from './routing/context.ts'
import type { Dependencies } from './dependencies.ts'
import { anonymousCaller } from './middleware/caller.ts'
import { basePath } from './middleware/base-path.ts'
import { callerAddress } from './middleware/caller-address.ts'
import { crossOrigin } from './middleware/cross-origin.ts'
import { forwardedWarning } from './middleware/forwarded-warning.ts'
import { hostCheck } from './middleware/host-check.ts'
import { OpenStreams } from './middleware/open-streams.ts'
import { problemErrors } from './middleware/problem-errors.ts'
import { queryCheck } from './middleware/query-check.ts'
import { rateLimits } from './middleware/rate-limit.ts'
import { requestId } from './middleware/request-id.ts'
import { requestLog } from './middleware/request-log.ts'
import { requestTelemetry } from './middleware/request-telemetry.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { apiRouter, notFound } from './routing/router.ts'
import { pages } from './web/index.ts'
import { showErrorPage, wantsPage } from './web/routing/page-errors.ts'
import { pageRouter } from './web/routing/router.ts'

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
