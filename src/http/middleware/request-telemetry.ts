import type { Telemetry } from '../../core/telemetry.ts'
import type { Middleware } from '../routing/context.ts'

/** Measures each request, and makes it a span. Records neither the path nor the query, because both can contain what a user searched for. */
export function requestTelemetry(telemetry: Telemetry): Middleware {
  return async (ctx, next) => {
    const started = performance.now()
    ctx.res.once('close', () => {
      const seconds = (performance.now() - started) / 1000
      telemetry.note({ type: 'request', route: ctx.state.route ?? null, method: ctx.method, status: ctx.res.statusCode, seconds })
    })
    const attributes = { 'http.request.method': ctx.method, 'docsearch.request_id': ctx.state.requestId }
    await telemetry.trace({ name: ctx.method, kind: 'server', parent: ctx.get('traceparent'), attributes }, async (span) => {
      await next()
      const { route } = ctx.state
      if (route !== undefined) {
        span.rename(`${ctx.method} ${route}`)
        span.set({ 'http.route': route })
      }
      span.set({ 'http.response.status_code': ctx.status })
      if (ctx.status >= 500) span.fail()
    })
  }
}
