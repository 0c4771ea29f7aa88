import Router from '@koa/router'
import type Koa from 'koa'
import { isOwner } from '../../../services/access.ts'
import { fail } from '../../problems/problems.ts'
import type { RateLimits } from '../../middleware/rate-limit.ts'
import type { Middleware, State } from '../../routing/context.ts'
import { endpointOf } from '../../routing/endpoints.ts'
import { otherMethods } from '../../routing/router.ts'
import type { Dependencies } from '../../dependencies.ts'
import { isMultipart } from '../../api/upload/body.ts'
import { originCheck } from '../session/csrf.ts'
import { sinceArrival } from '../../middleware/arrival.ts'
import { recheckCredential, watchCredential } from '../../middleware/credential-watch.ts'
import { formBody } from '../../body/form-body.ts'
import { compressView } from './compressed-view.ts'
import { formCheck } from './form-check.ts'
import { wantsPage } from './page-errors.ts'
import { pagePolicy } from './page-policy.ts'
import { asksForJson, pageCall, redirectToLogin, type Page, type PageParts } from './page.ts'
import { SharedViews, ViewsInMemory } from '../session/one-time-views.ts'
import { loadSession } from '../session/session.ts'

type Parts = Pick<Dependencies, 'accounts' | 'credentials' | 'settings' | 'clock' | 'instance'>

/**
 * Returns the table of pages as middleware. The cost, method and access of a row decide its steps. Unknown paths go on to the
 * next step.
 */
export function pageRouter(table: readonly Page[], parts: Parts, limits: RateLimits): Koa.Middleware<State>[] {
  const router = new Router<State>()
  const viewAbove = nearestView(router)
  const { clock, settings } = parts
  const oneTimeViews = settings.keptViews === undefined ? new ViewsInMemory(clock) : new SharedViews(settings.keptViews)
  const withViews = { ...parts, oneTimeViews }
  for (const row of table) router.register(row.path, [row.method], steps(row, withViews, limits, viewAbove))
  return [markPages(router), router.routes() as Middleware, sessionForErrors(parts), otherMethods(router)]
}

/** Returns the path of the nearest view at or above a path. The first view is at `/`. */
function nearestView(router: Router<State>): (path: string) => string {
  return function at(path) {
    if (path === '' || router.match(path, 'GET').pathAndMethod.length > 0) return path === '' ? '/' : path
    return at(path.slice(0, path.lastIndexOf('/')))
  }
}

function steps(row: Page, parts: Parts & PageParts, limits: RateLimits, viewAbove: (path: string) => string): Middleware[] {
  const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
  const { cost } = endpointOf({ method: row.method, path })
  return [
    nameRoute(path),
    pagePolicy(row.hasScript === true),
    ...(row.access === 'public' ? [] : [loadSession(parts)]),
    ...(cost === 'anonymous' ? [] : [limits.step]),
    watchCredential(parts.credentials),
    ...(row.method === 'POST' ? [originCheck(parts.settings), ...formSteps(row, parts, viewAbove)] : []),
    accessCheck(row.access),
    glance(parts),
    ...(row.method === 'GET' && (row.access === 'user' || row.access === 'owner') ? [compressView()] : []),
    async (ctx) => row.handle(pageCall(ctx, row, parts)),
  ]
}

/** A form with files is read by its handler, because its body can be large. */
function formSteps(row: Page, { settings, credentials }: Parts, viewAbove: (path: string) => string): Middleware[] {
  const all = [formBody(), recheckCredential(credentials), formCheck(row, settings, viewAbove)]
  return row.hasFiles === true ? all.map((step) => (ctx, next) => (isMultipart(ctx) ? next() : step(ctx, next))) : all
}

/** Finds out who asks for a view that does not exist, or in a wrong way, because the error is shown in the frame of the views. */
function sessionForErrors(parts: Parts): Middleware {
  const load = loadSession(parts)
  return (ctx, next) => (wantsPage(ctx) ? load(ctx, next) : next())
}

/** Looks up what the bar says about the instance. This comes from memory. */
function glance({ instance }: Parts): Middleware {
  return async (ctx, next) => {
    const { login } = ctx.state
    if (login !== undefined) ctx.state.glance = await sinceArrival(ctx, () => instance.glance(login.actor))
    await next()
  }
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
    if (login === undefined && asksForJson(ctx)) throw fail('unauthorized', 'You are not logged in. Log in in another tab.')
    // A posted form can't be repeated after the login, so the user starts again at the home page.
    if (login === undefined) return redirectToLogin(ctx, ctx.method === 'POST' ? '/' : ctx.originalUrl)
    if (access === 'owner' && !isOwner(login.actor)) throw fail('not_found', 'Your account has no such page.')
    await next()
  }
}
