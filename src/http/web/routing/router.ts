import Router from '@koa/router'
import type Koa from 'koa'
import { isOwner } from '../../../services/access.ts'
import { fail } from '../../problems/problems.ts'
import type { Middleware, State } from '../../routing/context.ts'
import { otherMethods } from '../../routing/router.ts'
import type { Dependencies } from '../../dependencies.ts'
import { csrfCheck, originCheck } from '../session/csrf.ts'
import { formBody } from '../../body/form-body.ts'
import { pagePolicy } from './page-policy.ts'
import { pageCall, redirectToLogin, type Page } from './page.ts'
import { loadSession } from '../session/session.ts'

type Parts = Pick<Dependencies, 'accounts' | 'settings' | 'clock'>

/** The table of pages as middleware: each row with the steps its method and access ask for. Unknown paths go on. */
export function pageRouter(table: readonly Page[], parts: Parts): Koa.Middleware<State>[] {
  const router = new Router<State>()
  for (const row of table) router.register(row.path, [row.method], steps(row, parts))
  return [markPages(router), router.routes() as Middleware, otherMethods(router)]
}

function steps(row: Page, parts: Parts): Middleware[] {
  return [
    nameRoute(row),
    pagePolicy(),
    ...(row.access === 'public' ? [] : [loadSession(parts)]),
    ...(row.method === 'POST' ? [originCheck(parts.settings), formBody(), csrfCheck(parts.settings)] : []),
    accessCheck(row.access),
    async (ctx) => row.handle(pageCall(ctx, parts)),
  ]
}

/** Also where the method is wrong, so that the refusal is a page too. */
function markPages(router: Router<State>): Middleware {
  return async (ctx, next) => {
    if (router.match(ctx.path, ctx.method).path.length > 0) ctx.state.isPage = true
    await next()
  }
}

function nameRoute(row: Page): Middleware {
  return async (ctx, next) => {
    ctx.state.route = row.path.replaceAll(/:(\w+)/g, '{$1}')
    await next()
  }
}

function accessCheck(access: Page['access']): Middleware {
  return async (ctx, next) => {
    const { login } = ctx.state
    if (access === 'public' || access === 'anyone') return next()
    // What was posted is gone with the session; the page it came from is where to begin again.
    if (login === undefined) return redirectToLogin(ctx, ctx.method === 'POST' ? '/' : ctx.originalUrl)
    if (access === 'owner' && !isOwner(login.actor)) throw fail('not_found', 'There is no such page for this account.')
    await next()
  }
}
