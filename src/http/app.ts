import Koa from 'koa'
import { routes } from './api/index.ts'
import { hostCheck } from './middleware/host-check.ts'
import { openMetadata } from './middleware/open-metadata.ts'
import { problemErrors } from './middleware/problem-errors.ts'
import { requestId } from './middleware/request-id.ts'
import { requestLog } from './middleware/request-log.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import type { State } from './route.ts'
import { apiRouter, notFound } from './router.ts'
import type { Services } from './services.ts'
import { pages } from './web/index.ts'
import { pageRouter } from './web/router.ts'

/** The whole HTTP surface over these services; `serve/` listens with it, tests call it on port 0. */
export function createApp(services: Services): Koa<State> {
  const app = new Koa<State>({ proxy: services.http.trustProxy, maxIpsCount: services.http.trustProxy ? 1 : 0 })
  const log = services.log.child({ part: 'http' })

  app.use(requestId(services.clock))
  app.use(requestLog(log))
  app.use(securityHeaders())
  app.use(openMetadata())
  app.use(problemErrors(log, services.http.baseUrl))
  app.use(hostCheck(services.http))
  for (const step of pageRouter(pages(), services)) app.use(step)
  for (const step of apiRouter(routes, services)) app.use(step)
  app.use(notFound())

  // Only what fails after an answer has begun comes here, mostly clients that went away in the middle of a download.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.error({ err: error }, 'answer broke off')
  })
  return app
}
