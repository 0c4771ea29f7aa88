import type { z } from 'zod'
import type { User } from '../../../core/model.ts'
import type { SignedInProps, Viewer } from '../../../pages/layout.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Actor } from '../../../services/access.ts'
import type { Ctx, Login } from '../../routing/context.ts'
import type { Dependencies } from '../../dependencies.ts'
import { csrfToken } from '../session/csrf.ts'
import { setFlash, takeFlash, type FlashCode } from '../session/flash.ts'
import { safeReturnTo } from './return-to.ts'
import { submitted, type Submitted } from '../forms/submitted.ts'

/** One row of the table of pages. */
export interface Page {
  method: 'GET' | 'POST'
  /** With `:id`, as pages/paths.ts gives it. */
  path: string
  /** `public`: no cookie is looked at. `anyone`: with or without a login. `user`: the others are asked to log in. `owner`: is not there for members. */
  access: 'public' | 'anyone' | 'user' | 'owner'
  handle(call: PageCall): Promise<void> | void
}

/** What a page's handler gets. */
export interface PageCall {
  ctx: Ctx
  /** Value of `:id` in the path; empty where there is none. */
  id: string
  /** Null where nobody is logged in, which only a page for `anyone` sees. */
  visitor: Login | null
  /** Throws on a page that does not need one. */
  login: Login
  user: User
  /** On whose behalf the page acts. Throws like `login`. */
  actor: Actor
  /** For every form on the page. */
  csrf: string
  /** What each page of somebody logged in shows; a message that waits is taken with it. */
  signedIn(): SignedInProps
  /** The posted form, by this schema. */
  submitted<S extends z.ZodObject>(schema: S): Submitted<z.output<S>, Extract<keyof z.output<S>, string>>
  show(html: string, status?: number): void
  /** 303 to a place of ours, where the message is shown. */
  goTo(path: string, message?: FlashCode): void
}

export function pageCall(ctx: Ctx, { settings, clock }: Pick<Dependencies, 'settings' | 'clock'>): PageCall {
  const visitor = ctx.state.login ?? null
  const call: PageCall = {
    ctx,
    id: String((ctx as unknown as { params: Record<string, string> }).params['id'] ?? ''),
    visitor,
    get login() {
      if (ctx.state.login === undefined) throw new Error(`${ctx.state.route} has nobody logged in`)
      return ctx.state.login
    },
    get user() {
      return call.login.user
    },
    get actor() {
      return call.login.actor
    },
    get csrf() {
      return csrfToken(ctx, settings)
    },
    signedIn: () => ({
      viewer: viewerOf(call.user),
      csrf: call.csrf,
      flash: takeFlash(ctx, settings),
      now: clock.now().toISOString(),
    }),
    submitted: (schema) => submitted(schema, ctx.state.form?.fields ?? {}),
    show(html, status = 200) {
      ctx.status = status
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = html
    },
    goTo(path, message) {
      if (message !== undefined) setFlash(ctx, settings, message)
      redirect(ctx, path, 303)
    },
  }
  return call
}

export function viewerOf({ name, email, role }: User): Viewer {
  return { name, email, role }
}

/** By hand: Koa writes an address anew, and an application's has to stay as it is. */
export function redirect(ctx: Ctx, location: string, status: 302 | 303): void {
  ctx.status = status
  ctx.set('Location', location)
  ctx.body = ''
}

/** To the login, and from there back to this page or the given one; one whose address is too long to be carried along is forgotten. */
export function redirectToLogin(ctx: Ctx, returnTo: string): void {
  const query = safeReturnTo(returnTo) === null ? '' : `?${new URLSearchParams({ return_to: returnTo })}`
  redirect(ctx, paths.login + query, 303)
}
