import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { fail } from '../../problems/problems.ts'
import type { Ctx, Middleware } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'
import { readCookie, writeCookie } from './cookies.ts'

const SECRET = /^[A-Za-z0-9_-]{43}$/
const FORM_COOKIE_SECONDS = 24 * 60 * 60

/**
 * Returns the token for every form. It is derived from a cookie that no other site can read: the session cookie, or without a login the
 * form cookie, which this function creates when it is missing. So the token ends with the session and is useless in another one.
 */
export function csrfToken(ctx: Ctx, settings: HttpSettings): string {
  ctx.state.csrf ??= derive(ctx.state.login?.token ?? readSecret(ctx, settings) ?? newSecret(ctx, settings))
  return ctx.state.csrf
}

/** Refuses a POST without the token of this browser. It runs before the handler, so nothing has changed yet. */
export function csrfCheck(settings: HttpSettings): Middleware {
  return async (ctx, next) => {
    const secret = ctx.state.login?.token ?? readSecret(ctx, settings)
    const sent = ctx.state.form?.csrf ?? ''
    if (secret === undefined || !isSame(sent, derive(secret))) throw refused()
    await next()
  }
}

/**
 * Refuses a POST when the browser's headers say that it comes from another site, before the body is read. For requests without these
 * headers only the token counts. `Origin: null` comes from a page that hides its address and from one that has none, such as a
 * sandboxed frame. Only Sec-Fetch-Site can tell them apart.
 */
export function originCheck(settings: HttpSettings): Middleware {
  return async (ctx, next) => {
    const site = ctx.get('Sec-Fetch-Site')
    const origin = ctx.get('Origin')
    if (site !== '' && site !== 'same-origin' && site !== 'none') throw refused()
    if (origin === 'null' ? site !== 'same-origin' : origin !== '' && !isOwnOrigin(origin, ctx, settings)) throw refused()
    await next()
  }
}

/** True for the base URL, and for the host name of this request, which host-check has accepted. */
function isOwnOrigin(origin: string, ctx: Ctx, settings: HttpSettings): boolean {
  const base = new URL(settings.baseUrl())
  return origin === base.origin || origin === URL.parse(`${base.protocol}//${ctx.req.headers.host ?? ''}`)?.origin
}

function readSecret(ctx: Ctx, settings: HttpSettings): string | undefined {
  const value = readCookie(ctx, settings, 'form')
  return value !== undefined && SECRET.test(value) ? value : undefined
}

function newSecret(ctx: Ctx, settings: HttpSettings): string {
  const secret = randomBytes(32).toString('base64url')
  writeCookie(ctx, settings, 'form', secret, FORM_COOKIE_SECONDS)
  return secret
}

function derive(secret: string): string {
  return createHmac('sha256', secret).update('docsearch form').digest('base64url')
}

function isSame(sent: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function refused(): Error {
  return fail(
    'csrf_failed',
    'This form did not come from a view of this instance in this browser, or it is out of date. Nothing was changed.',
  )
}
