import type { Problem } from '../../../contract/common.ts'
import { renderError } from '../../../pages/account/error.tsx'
import type { Ctx } from '../../routing/context.ts'
import { asksForHtml } from './page.ts'
import { setPagePolicy } from './page-policy.ts'

/** Paths for programs, which never get a page. */
const FOR_PROGRAMS = /^\/(?:api|mcp|\.well-known)(?:\/|$)/

/** True when a person reads the answer: the path belongs to a page, or it is unknown and a browser asked for it. */
export function wantsPage(ctx: Ctx): boolean {
  if (ctx.state.isPage === true) return true
  return ctx.state.route === undefined && !FOR_PROGRAMS.test(ctx.path) && asksForHtml(ctx)
}

/** Answers with the problem as a page: what happened, what to do, and the id of the request. */
export function showErrorPage(ctx: Ctx, problem: Pick<Problem, 'status' | 'code' | 'detail'>): void {
  setPagePolicy(ctx)
  const retryAfter = Number(ctx.response.get('Retry-After'))
  ctx.status = problem.status
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = renderError({
    status: problem.status,
    code: problem.code,
    detail: problem.detail,
    requestId: ctx.state.requestId,
    formAddress: ctx.state.formAddress ?? null,
    ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
  })
}
