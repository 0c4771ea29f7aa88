import { callAs, type CallerCredential } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { Logger } from '../../core/logger.ts'
import type { Principal } from '../../core/model.ts'
import type { Telemetry } from '../../core/telemetry.ts'
import type { Ctx, Middleware } from '../routing/context.ts'

const SAFE = /^[A-Za-z0-9._-]{8,128}$/

/** Gives the request an id. An id that the client sent is used if it can't break a log line. */
export function requestId(clock: Clock): Middleware {
  return async (ctx, next) => {
    const sent = ctx.get('X-Request-Id')
    ctx.state.requestId = SAFE.test(sent) ? sent : newId('req', clock.now())
    ctx.set('X-Request-Id', ctx.state.requestId)
    await next()
  }
}

/** Gives requests through the local socket, which have no IP address, a name for everything that counts or stores addresses. */
export function callerAddress(): Middleware {
  return async (ctx, next) => {
    // Koa's `ip` is '' for the socket. With `trust_proxy`, it is the address that the caller claims, as for any other direct
    // caller.
    if (ctx.request.ip === '') ctx.request.ip = 'local socket'
    await next()
  }
}

/** Runs the rest of the request on behalf of its address. Later steps find out who the caller is. */
export function anonymousCaller(): Middleware {
  return (ctx, next) => callAs({ userId: null, address: ctx.request.ip, credential: null }, next)
}

/** Runs the rest of the request on behalf of a user. */
export function callAsUser<T>(ctx: Ctx, userId: string, credential: CallerCredential, work: () => T): T {
  return callAs({ userId, address: ctx.request.ip, credential }, work)
}

export function credentialOf({ via, credentialId, credentialName, credentialLastFour }: Principal): CallerCredential {
  const kind = via === 'api_key' ? 'key' : 'application'
  return { kind, id: credentialId, name: credentialName, lastFour: credentialLastFour ?? null }
}

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
