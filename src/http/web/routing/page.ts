import type { z } from 'zod'
import type { User } from '../../../core/model.ts'
import type { SignedInProps, Viewer } from '../../../pages/layout.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Actor } from '../../../services/access.ts'
import { withBasePath } from '../../middleware/base-path.ts'
import type { Ctx, Login, Middleware } from '../../routing/context.ts'
import type { Cost } from '../../routing/route.ts'
import type { Dependencies } from '../../dependencies.ts'
import { csrfToken } from '../session/csrf.ts'
import type { OneTimeView, OneTimeViews } from '../session/one-time-views.ts'
import { setFlash, takeFlash, type FlashCode } from '../session/flash.ts'
import { submitted, type Submitted } from '../submitted.ts'

/** One row of the table of pages. */
export interface View {
  method: 'GET' | 'POST'
  /** From pages/paths.ts, with `:id` as the id. */
  path: string
  /**
   * `public`: cookies are ignored. `anyone`: with or without a login. `user`, the default: others are sent to the login. `owner`:
   * others get 404.
   */
  access?: 'public' | 'anyone' | 'user' | 'owner'
  /** Default: `limited`. */
  cost?: Cost
  /** The page's form is for users who are not logged in, so it still works after a login or a logout in another tab. */
  isBeforeLogin?: boolean
  /** The view has the script, and its policy allows it. */
  hasScript?: boolean
  /** The handler reads a multipart body and checks its token. Other bodies are read and checked before, as usual. */
  hasFiles?: boolean
  /** For a POST: returns the address that shows the posted form again. Default: the nearest view above the path. */
  formAddress?(field: (name: string) => string): string
  handle(call: ViewCall): Promise<void> | void
}

/** What a page's handler gets. */
export interface ViewCall {
  ctx: Ctx
  /** Value of `:id` in the path; empty where there is none. */
  id: string
  /** The values of all parameters of the path by their names. */
  params: Readonly<Record<string, string>>
  /** Null without a login, which happens only on a page for `anyone`. */
  visitor: Login | null
  /** Throws without a login. */
  login: Login
  user: User
  /** On whose behalf the page acts. Throws like `login`. */
  actor: Actor
  /** The token for every form on the page. */
  csrf: string
  /** Returns the props of every page for a logged-in user. Takes the waiting message, so call it once. */
  signedIn(): SignedInProps
  /** Parses the posted form. */
  submitted<S extends z.ZodObject>(schema: S): Submitted<z.output<S>, Extract<keyof z.output<S>, string>>
  show(html: string, status?: number): void
  /** Redirects to a view with a new secret, which is shown once. `next` is where the user goes who opens its address again. */
  showOnce(next: string, render: OneTimeView): Promise<void>
  /** Returns the view that `showOnce` has kept under the ID in the path. See `OneTimeViews.take`. */
  takeOnce(): ReturnType<OneTimeViews['take']>
  /** Redirects with 303 to a page of this instance, which shows the message, and a button that restores documents in the trash. */
  goTo(path: string, message?: FlashCode, trashed?: string | readonly string[]): void
}

export interface PageParts extends Pick<Dependencies, 'settings' | 'clock'> {
  oneTimeViews: OneTimeViews
}

export function pageCall(ctx: Ctx, row: View, { settings, clock, oneTimeViews }: PageParts): ViewCall {
  const visitor = ctx.state.login ?? null
  const { params } = ctx as unknown as { params: Record<string, string> }
  const call: ViewCall = {
    ctx,
    id: params['id'] ?? '',
    params,
    visitor,
    get login() {
      if (ctx.state.login === undefined) throw new Error(`${ctx.state.route} was called without a login`)
      return ctx.state.login
    },
    get user() {
      return call.login.user
    },
    get actor() {
      return call.login.actor
    },
    get csrf() {
      return csrfToken(ctx, settings, row)
    },
    signedIn: () => ({
      viewer: viewerOf(call.user),
      csrf: call.csrf,
      flash: takeFlash(ctx, settings, call.csrf),
      now: clock.now().toISOString(),
      glance: ctx.state.glance,
      hasScript: row.hasScript === true,
    }),
    submitted: (schema) => submitted(schema, ctx.state.form?.fields ?? {}),
    show(html, status = 200) {
      ctx.status = status
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = withBasePath(html, ctx.state.basePath)
    },
    async showOnce(next, render) {
      const id = await oneTimeViews.add(call.login, { render, next }, () => call.signedIn())
      redirect(ctx, paths.shownOnce(id), 303)
    },
    takeOnce: () => oneTimeViews.take(call.login, call.id, () => call.signedIn()),
    goTo(path, message, trashed = []) {
      if (message !== undefined) setFlash(ctx, settings, message, [trashed].flat())
      redirect(ctx, path, 303)
    },
  }
  return call
}

export function viewerOf({ name, email, role }: User): Viewer {
  return { name, email, role }
}

/**
 * Redirects to a path of this instance, or to an application. Sets the header itself, because Koa's redirect normalises addresses and an application's
 * address must stay unchanged.
 */
export function redirect(ctx: Ctx, location: string, status: 302 | 303): void {
  ctx.status = status
  ctx.set('Location', location.startsWith('/') ? ctx.state.basePath + location : location)
  ctx.body = ''
}

/** Returns true for browsers. Other programs usually accept any type. */
export function asksForHtml(ctx: Ctx): boolean {
  return /\btext\/html\b/i.test(ctx.get('Accept'))
}

/** Returns true for the script of the views. */
export function asksForJson(ctx: Ctx): boolean {
  return /^application\/json$/i.test(ctx.get('Accept'))
}

/** Redirects to the login, and from there back to `returnTo`, unless that address is too long. */
export function redirectToLogin(ctx: Ctx, returnTo: string): void {
  redirect(ctx, loginPath(returnTo), 303)
}

export function loginPath(returnTo: string): string {
  const query = safeReturnTo(returnTo) === null ? '' : `?${new URLSearchParams({ return_to: returnTo })}`
  return paths.login + query
}

/** Forbids scripts and framing, and allows styles and pictures only from this origin. `targets` limits where forms lead. */
function policyWith(targets: string): string {
  const sources = `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${targets}`
  return `${sources}; base-uri 'none'; frame-ancestors 'none'`
}

const POLICY = policyWith("'self'")
/** Allows the script file of this instance, and lets it send requests to this instance. */
const SCRIPT_POLICY = `${POLICY}; script-src 'self'; connect-src 'self'`

/**
 * Lets the forms of this view lead to an application. Chromium applies `form-action` to the redirect after a form, and to all further
 * redirects of the application (CSP Level 3 section 6.4.1). So the policy allows the scheme of the redirect address, because a host
 * source can name neither an IPv6 address nor the next host, and https.
 */
export function allowFormsTo(ctx: Ctx, redirectUri: string): void {
  ctx.set('Content-Security-Policy', policyWith(["'self'", ...new Set(['https:', new URL(redirectUri).protocol])].join(' ')))
}

/** Sets the headers of every page. securityHeaders has already set those against framing, sniffing and caching. */
export function pagePolicy(hasScript: boolean): Middleware {
  return async (ctx, next) => {
    setPagePolicy(ctx, hasScript)
    await next()
  }
}

/** Views with passwords, and views that decide about access, have no script. */
export function setPagePolicy(ctx: Ctx, hasScript = false): void {
  ctx.set('Content-Security-Policy', hasScript ? SCRIPT_POLICY : POLICY)
  // Paths and queries can contain one-time tokens, so no page sends them as referrer. `no-referrer` would make browsers send
  // `Origin: null` with the instance's own forms (Fetch section 3.2).
  ctx.set('Referrer-Policy', 'strict-origin')
}

const MAX_CHARACTERS = 12_000
/** Only the origin is compared. No host can end in `.invalid` (RFC 2606). */
const BASE = 'http://origin.invalid'

/**
 * Returns the path to go to after the login. Returns null for anything that could lead to another site: other addresses, `//host`, `/\host`, and
 * control characters, which browsers drop before they parse an address (WHATWG URL section 4.4).
 */
export function safeReturnTo(sent: string | undefined): string | null {
  if (sent === undefined || sent.length > MAX_CHARACTERS || !/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(sent)) return null
  const url = URL.parse(sent, BASE)
  // `/.//host` becomes `//host` when it is parsed.
  if (url === null || url.origin !== BASE || url.pathname.startsWith('//')) return null
  return url.pathname + url.search
}
