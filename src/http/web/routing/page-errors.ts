import type { Problem } from '../../../contract/common.ts'
import { renderError, type ErrorPageProps } from '../../../pages/error.tsx'
import type { SearchFields } from '../../../pages/search/fields.ts'
import { withBasePath } from '../../middleware/base-path.ts'
import type { Ctx } from '../../routing/context.ts'
import { searchFieldsOf } from '../../search-fields.ts'
import { sessionToken } from '../session/csrf.ts'
import { asksForHtml, asksForJson, loginPath, viewerOf, setPagePolicy, safeReturnTo } from './page.ts'

/** Paths for programs, which never get a page. */
const FOR_PROGRAMS = /^\/(?:api|mcp|\.well-known)(?:\/|$)/

/** True when a person reads the answer: the path belongs to a page and the script did not ask, or it is unknown and a browser asked for it. */
export function wantsPage(ctx: Ctx): boolean {
  if (ctx.state.isPage === true) return !asksForJson(ctx)
  return ctx.state.route === undefined && !FOR_PROGRAMS.test(ctx.path) && asksForHtml(ctx)
}

/** Returns the address of a view that the user can open again a little later, with all that they typed. */
function againAddress(ctx: Ctx, status: number): string | null {
  return ctx.method === 'GET' && (status === 429 || status === 503) ? safeReturnTo(ctx.originalUrl) : null
}

function visitorOf(ctx: Ctx): ErrorPageProps['visitor'] {
  const { login } = ctx.state
  // A posted form can't be repeated after the login.
  if (login === undefined) return { login: loginPath(ctx.method === 'GET' ? ctx.originalUrl : '/') }
  return { viewer: viewerOf(login.user), csrf: sessionToken(ctx, login), glance: ctx.state.glance }
}

/** Returns the search in the address of a view, so that the error loses neither the question nor its filters. */
function searchOf(ctx: Ctx): SearchFields {
  return ctx.method === 'GET' ? searchFieldsOf(ctx.query) : {}
}

/**
 * Answers with the problem as a page: what happened, what to do, and the id of the request. `applicationAddress` is where an
 * application gets the error, if the user goes there.
 */
export function showErrorPage(
  ctx: Ctx,
  problem: Pick<Problem, 'status' | 'code' | 'detail'>,
  applicationAddress: string | null = null,
): void {
  setPagePolicy(ctx)
  const retryAfter = Number(ctx.response.get('Retry-After'))
  ctx.status = problem.status
  ctx.type = 'text/html; charset=utf-8'
  const html = renderError({
    status: problem.status,
    code: problem.code,
    detail: problem.detail,
    requestId: ctx.state.requestId,
    formAddress: ctx.state.formAddress ?? null,
    applicationAddress,
    againAddress: againAddress(ctx, problem.status),
    visitor: visitorOf(ctx),
    search: searchOf(ctx),
    ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
  })
  ctx.body = withBasePath(html, ctx.state.basePath)
}
