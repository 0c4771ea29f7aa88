import Router from '@koa/router'
import type Koa from 'koa'
import { isOwner } from '../../../services/access.ts'
import { fail } from '../../problems/problems.ts'
import type { RateLimits } from '../../middleware/rate-limit.ts'
import type { Middleware, State, Ctx } from '../../routing/context.ts'
import { otherMethods } from '../../routing/router.ts'
import type { Dependencies, HttpSettings } from '../../dependencies.ts'
import { isMultipart } from '../../api/upload/read-upload.ts'
import { originCheck, csrfFailed, hasValidToken } from '../session/csrf.ts'
import { sinceArrival, recheckCredential, watchCredential } from '../../middleware/credential-watch.ts'
import { formBody } from '../../body.ts'
import { wantsPage } from './page-errors.ts'
import { pagePolicy, asksForJson, pageCall, redirectToLogin, type View, type PageParts, redirect, safeReturnTo } from './page.ts'
import { SharedViews, ViewsInMemory } from '../session/one-time-views.ts'
import { loadSession } from '../session/session.ts'
import { compress, encodingFor } from '../../answers/fixed.ts'

type Parts = Pick<Dependencies, 'accounts' | 'credentials' | 'settings' | 'clock' | 'instance'>

/**
 * Returns the table of pages as middleware. The cost, method and access of a row decide its steps. Unknown paths go on to the
 * next step.
 */
export function pageRouter(table: readonly View[], parts: Parts, limits: RateLimits): Koa.Middleware<State>[] {
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

function steps(row: View, parts: Parts & PageParts, limits: RateLimits, viewAbove: (path: string) => string): Middleware[] {
  const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
  const { access = 'user' } = row
  return [
    nameRoute(path),
    pagePolicy(row.hasScript === true),
    ...(access === 'public' ? [] : [loadSession(parts)]),
    ...(row.cost === 'anonymous' ? [] : [limits.step]),
    watchCredential(parts.credentials),
    ...(row.method === 'POST' ? [originCheck(parts.settings), ...formSteps(row, parts, viewAbove)] : []),
    accessCheck(access),
    glance(parts),
    ...(row.method === 'GET' && (access === 'user' || access === 'owner') ? [compressView()] : []),
    async (ctx) => row.handle(pageCall(ctx, row, parts)),
  ]
}

/** A form with files is read by its handler, because its body can be large. */
function formSteps(row: View, { settings, credentials }: Parts, viewAbove: (path: string) => string): Middleware[] {
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

function accessCheck(access: NonNullable<View['access']>): Middleware {
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

/**
 * Compresses a view, unless another site caused the request. The size of a compressed answer tells how much of the question in its
 * address repeats in the answer. Somebody who can make a browser ask many questions, and sees the sizes of the encrypted answers,
 * could so learn words of the user's documents letter by letter (BREACH, 2013).
 *
 * - A site can send a browser to an address here as often as it likes. Browsers say so in Sec-Fetch-Site, which no site can change.
 *   docsearch compresses only what its own views ask for (`same-origin`) and what the user asks for (`none`), such as a bookmark. A
 *   browser without this header gets views as they are.
 * - The token in forms looks different in each answer (`session/csrf.ts`).
 * - Views that show a new secret are never compressed (`hasSecret`). Neither are views that need no
 *   login, such as those for one-time links and for consent.
 */
function compressView(): Middleware {
  return async (ctx, next) => {
    await next()
    if (typeof ctx.body !== 'string' || ctx.response.type !== 'text/html' || ctx.state.hasSecret === true) return
    ctx.vary('Sec-Fetch-Site')
    if (!isOwnRequest(ctx)) return
    const body = Buffer.from(ctx.body)
    const encoding = encodingFor(ctx, body.length)
    if (encoding === null) return
    ctx.body = await compress(body, encoding, { isKept: false })
    ctx.set('Content-Encoding', encoding)
  }
}

function isOwnRequest(ctx: Ctx): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  return site === 'same-origin' || site === 'none'
}

/**
 * Refuses a posted form without a valid token. It runs before the handler, so nothing has changed yet. Often the form is only out
 * of date, because the user has logged in or out in another tab. If no user is logged in, the browser goes to the address that
 * shows the form again, which asks for the login. Otherwise the error view links to that address. `viewAbove` returns the nearest
 * view for forms without such an address.
 */
function formCheck(row: View, settings: HttpSettings, viewAbove: (path: string) => string): Middleware {
  return async (ctx, next) => {
    if (hasValidToken(ctx, settings, row)) return next()
    const { form, login } = ctx.state
    const field = (name: string) => form?.fields[name]?.[0] ?? ''
    const address = safeReturnTo(row.formAddress?.(field)) ?? viewAbove(ctx.path)
    const isSent = form !== undefined && form.csrf !== ''
    if (isSent && login === undefined && row.isBeforeLogin !== true) return redirect(ctx, address, 303)
    ctx.state.formAddress = address
    throw csrfFailed()
  }
}
