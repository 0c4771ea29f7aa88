import Router from '@koa/router'
import type Koa from 'koa'
import { clientGone } from './client-gone.ts'
import { authenticate } from './middleware/authenticate.ts'
import { jsonBody } from './middleware/json-body.ts'
import { ownerCheck } from './middleware/owner-check.ts'
import { addressLimit, rateLimits, type RateLimits } from './middleware/rate-limit.ts'
import { scopeCheck } from './middleware/scope-check.ts'
import { oauthErrors } from './oauth/oauth-errors.ts'
import { fail, invalid } from './problems.ts'
import type { Call, Ctx, Route, State } from './route.ts'
import type { Services } from './services.ts'
import type { Middleware } from './step.ts'
import { validate } from './validate.ts'

/** The table of routes as middleware: each row with the steps its access and schemas ask for. */
export function apiRouter(table: readonly Route[], services: Services): Koa.Middleware<State>[] {
  const router = new Router<State>()
  const limits = rateLimits(services.http.rateLimit)
  for (const row of table) {
    router.register(row.path.replaceAll(/\{(\w+)\}/g, ':$1'), [row.method], steps(row, services, limits))
  }
  return [router.routes() as Middleware, otherMethods(router)]
}

function steps(row: Route, services: Services, limits: RateLimits): Middleware[] {
  const { access } = row
  const chain: Middleware[] = [
    nameRoute(row),
    ...(row.errors === 'oauth' ? [oauthErrors(services), limits.step] : []),
    ...(row.mostFromAddress === undefined || services.http.rateLimit === 0 ? [] : [addressLimit(row.mostFromAddress)]),
    authenticate({ access, authenticator: services.authenticator, limits }),
    ...(access === 'public' ? [] : [limits.step]),
    scopeCheck(access),
    ...(row.role === undefined ? [] : [ownerCheck(services)]),
    ...(row.body === undefined ? [] : [jsonBody({ optional: row.bodyOptional === true })]),
    handler(row, services),
  ]
  return chain
}

function nameRoute(row: Route): Middleware {
  return async (ctx, next) => {
    ctx.state.route = row.path
    await next()
  }
}

function handler(row: Route, services: Services): Middleware {
  return async (ctx) => {
    const { principal } = ctx.state
    const gone = clientGone(ctx)
    const call: Call = {
      ctx,
      services,
      id: String((ctx as unknown as { params: Record<string, string> }).params['id'] ?? ''),
      query: parseQuery(row, ctx),
      body:
        row.body === undefined
          ? undefined
          : validate(row.bodyFor?.(services) ?? row.body, (ctx.request as unknown as { body: unknown }).body),
      principal: principal ?? null,
      get caller() {
        if (principal === undefined) throw new Error(`${row.operationId} has no caller`)
        return principal
      },
      gone,
      ending: AbortSignal.any([gone, services.http.stopping]),
    }
    await row.handle(call)
  }
}

/** Unknown parameters are refused everywhere: a typing error must not silently widen an answer. */
function parseQuery(row: Route, ctx: Ctx): unknown {
  // `content` means that the handler reads the body, and with it decides what the query may hold.
  if (row.query === undefined && row.content !== undefined) return undefined
  const sent = ctx.query
  if (Object.hasOwn(sent, '__proto__')) throw invalid([{ path: '__proto__', message: 'is not a field of this request' }])
  if (row.query !== undefined) return validate(row.query, { ...sent })
  const unknown = Object.keys(sent)
  if (unknown.length > 0) throw invalid(unknown.map((path) => ({ path, message: 'is not a parameter of this request' })))
  return undefined
}

/** A known path with another method: OPTIONS is answered, anything else is 405; both with Allow. Unknown paths go on. */
export function otherMethods(router: Router<State>): Middleware {
  return async (ctx, next) => {
    const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
    if (methods.size === 0) return next()
    const allow = [...methods, 'OPTIONS'].join(', ')
    ctx.set('Allow', allow)
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204
      return
    }
    throw fail('method_not_allowed', `${ctx.method} does not work here; ${allow} do.`)
  }
}

/** The last step: nobody took the request. */
export function notFound(): Middleware {
  return async (ctx) => {
    throw fail('not_found', `There is nothing at ${ctx.path.slice(0, 200)}. The endpoints are described at /api/docs.`)
  }
}
