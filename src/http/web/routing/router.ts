import Router from '@koa/router'
import type Koa from 'koa'
import { isOwner } from '../../../services/access.ts'
import { fail } from '../../problems/problems.ts'
import type { RateLimits } from '../../middleware/rate-limit.ts'
import type { Middleware, State } from '../../routing/context.ts'
import { endpointOf } from '../../routing/endpoints.ts'
import { otherMethods } from '../../routing/router.ts'
import type { Dependencies } from '../../dependencies.ts'
import { originCheck } from '../session/csrf.ts'
import { recheckCredential, watchCredential } from '../../middleware/credential-watch.ts'
import { formBody } from '../../body/form-body.ts'
import { formCheck } from './form-check.ts'
import { pagePolicy } from './page-policy.ts'
import { pageCall, redirectToLogin, type Page } from './page.ts'
import { loadSession } from '../session/session.ts'

type Parts = Pick<Dependencies, 'accounts' | 'credentials' | 'settings' | 'clock'>

/**
 * Returns the table of pages as middleware. The cost, method and access of a row decide its steps. Unknown paths go on to the
 * next step.
 */
export function pageRouter(table: readonly Page[], parts: Parts, limits: RateLimits): Koa.Middleware<State>[] {
  const router = new Router<State>()
  const viewAbove = nearestView(router)
  for (const row of table) router.register(row.path, [row.method], steps(row, parts, limits, viewAbove))
  return [markPages(router), router.routes() as Middleware, otherMethods(router)]
}

/** Returns the path of the nearest view at or above a path. The first view is at `/`. */
function nearestView(router: Router<State>): (path: string) => string {
  return function at(path) {
    if (path === '' || router.match(path, 'GET').pathAndMethod.length > 0) return path === '' ? '/' : path
    return at(path.slice(0, path.lastIndexOf('/')))
  }
}

function steps(row: Page, parts: Parts, limits: RateLimits, viewAbove: (path: string) => string): Middleware[] {
  const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
  const { cost } = endpointOf({ method: row.method, path })
  return [
    nameRoute(path),
    pagePolicy(),
    ...(row.access === 'public' ? [] : [loadSession(parts)]),
    ...(cost === 'anonymous' ? [] : [limits.step]),
    watchCredential(parts.credentials),
    ...(row.method === 'POST'
      ? [originCheck(parts.settings), formBody(), recheckCredential(parts.credentials), formCheck(row, parts.settings, viewAbove)]
      : []),
    accessCheck(row.access),
    async (ctx) => row.handle(pageCall(ctx, row, parts)),
  ]
}

/** Marks requests to pages, also those with a wrong method, so that their refusals are pages too. */
function markPages(router: Router<State>): Middleware {
  return async (ctx, next) => {
    if (router.match(ctx.path, ctx.method).path.length > 0) ctx.state.isPage = true
    await next()
  }
}

function nameRoute(path: string): Middleware {
  return async (ctx, next) => {
    ctx.state.route = path
    await next()
  }
}

function accessCheck(access: Page['access']): Middleware {
  return async (ctx, next) => {
    const { login } = ctx.state
    if (access === 'public' || access === 'anyone') return next()
    // A posted form can't be repeated after the login, so the user starts again at the home page.
    if (login === undefined) return redirectToLogin(ctx, ctx.method === 'POST' ? '/' : ctx.originalUrl)
    if (access === 'owner' && !isOwner(login.actor)) throw fail('not_found', 'Your account has no such page.')
    await next()
  }
}
