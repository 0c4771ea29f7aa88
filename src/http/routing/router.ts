import Router from '@koa/router'
import type Koa from 'koa'
import { invalid, validate } from '../../contract/validate.ts'
import { clientGone, type Ctx, type Middleware, type State } from './context.ts'
import type { Dependencies } from '../dependencies.ts'
import { accessCheck, authenticate } from '../middleware/authenticate.ts'
import { jsonBody } from '../body.ts'
import { recheckCredential, watchCredential } from '../middleware/credential-watch.ts'
import { addressLimit, type RateLimits } from '../middleware/rate-limit.ts'
import { oauthErrors } from '../oauth/oauth-errors.ts'
import { fail } from '../problems/problems.ts'
import type { Call, Route } from './route.ts'

type Parts = Pick<Dependencies, 'account' | 'authenticator' | 'credentials' | 'settings' | 'log' | 'telemetry'>

/** Returns the table of routes as middleware. The cost, access and schemas of a row decide its steps. */
export function apiRouter(table: readonly Route[], parts: Parts, limits: RateLimits): Koa.Middleware<State>[] {
  const router = new Router<State>()
  for (const row of table) {
    router.register(row.path.replaceAll(/\{(\w+)\}/g, ':$1'), [row.method], steps(row, parts, limits))
  }
  return [router.routes() as Middleware, otherMethods(router)]
}

function steps(row: Route, parts: Parts, limits: RateLimits): Middleware[] {
  const { access, cost } = row
  const { account, authenticator, credentials, settings } = parts
  return [
    nameRoute(row),
    ...(row.errors === 'oauth' ? [oauthErrors(parts)] : []),
    authenticate({ access, authenticator, account, limits, baseUrl: settings.baseUrl }),
    ...(cost === 'anonymous' ? [] : [limits.step]),
    ...(row.addressLimit === undefined
      ? []
      : [
          addressLimit(row.addressLimit, {
            name: `${row.method} ${row.path}`,
            counters: settings.counters,
            telemetry: parts.telemetry,
          }),
        ]),
    accessCheck(row),
    watchCredential(credentials),
    ...(row.body === undefined ? [] : [jsonBody({ optional: row.bodyOptional === true }), recheckCredential(credentials)]),
    handler(row, settings.stopping),
  ]
}

function nameRoute(row: Route): Middleware {
  return async (ctx, next) => {
    ctx.state.route = row.path
    if (row.resource !== undefined) ctx.state.resource = row.resource
    await next()
  }
}

function handler(row: Route, stopping: AbortSignal): Middleware {
  return async (ctx) => {
    const { principal = null, actor } = ctx.state
    const { params } = ctx as unknown as { params: Record<string, string> }
    const gone = clientGone(ctx)
    const call: Call = {
      ctx,
      id: params['id'] ?? '',
      params,
      query: parseQuery(row, ctx),
      body: row.body === undefined ? undefined : validate(row.body, (ctx.request as unknown as { body: unknown }).body),
      principal,
      get actor() {
        if (actor === undefined) throw new Error(`${row.operationId} was called without a credential`)
        return actor
      },
      gone,
      get ending() {
        return AbortSignal.any([gone, stopping])
      },
    }
    await row.handle(call)
  }
}

/** Unknown parameters are refused everywhere: a mistyped filter must not silently widen an answer. */
function parseQuery(row: Route, ctx: Ctx): unknown {
  // With `content` the handler reads the body and decides what the query may have.
  if (row.query === undefined && row.content !== undefined) return undefined
  const sent = ctx.query
  if (Object.hasOwn(sent, '__proto__')) throw invalid([{ path: '__proto__', message: 'is not a field of this request' }])
  if (row.query !== undefined) return validate(row.query, { ...sent })
  const unknown = Object.keys(sent)
  if (unknown.length > 0) throw invalid(unknown.map((path) => ({ path, message: 'is not a parameter of this request' })))
  return undefined
}

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Answers OPTIONS for a known path and refuses other methods with 405, both with Allow. Unknown paths go on to the next step. */
export function otherMethods(router: Router<State>): Middleware {
  return async (ctx, next) => {
    const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
    if (methods.size === 0) return next()
    ctx.set('Allow', [...methods, 'OPTIONS'].join(', '))
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204
      return
    }
    throw fail('method_not_allowed', `${ctx.method} is not allowed here. Use ${OR.format(methods)}.`)
  }
}

/** The last step, when no router took the request: answers every other path. Only programs are told about the documentation of the API. */
export function notFound(wantsPage: (ctx: Ctx) => boolean): Middleware {
  return async (ctx) => {
    const advice = wantsPage(ctx) ? '' : ` See ${ctx.state.basePath}/api/docs for the endpoints.`
    throw fail('not_found', `There is nothing at ${(ctx.state.basePath + ctx.path).slice(0, 200)}.${advice}`)
  }
}
