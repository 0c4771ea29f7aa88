import Koa from 'koa'
import type { Health } from '../services/health.ts'
import { presentHealth } from './api/health/present.ts'
import type { Dependencies } from './dependencies.ts'
import { basePath } from './middleware/base-path.ts'
import { hostCheck } from './middleware/host-check.ts'
import { problemErrors } from './middleware/problem-errors.ts'
import { requestId } from './middleware/request-id.ts'
import { requestLog } from './middleware/request-log.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { fail } from './problems/problems.ts'
import type { State } from './routing/context.ts'

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
