import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { fail } from '../../problems/problems.ts'
import type { Ctx, Middleware } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'
import { readCookie, writeCookie } from './cookies.ts'

const SECRET = /^[A-Za-z0-9_-]{43}$/
const FORM_COOKIE_SECONDS = 24 * 60 * 60

/**
 * The token that goes into every form. It comes from a cookie no other site can read: the session's, or for a stranger one of its own, made
 * when first needed. So it dies with the session and is no use in another one.
 */
export function csrfToken(ctx: Ctx, settings: HttpSettings): string {
  ctx.state.csrf ??= derive(ctx.state.login?.token ?? readSecret(ctx, settings) ?? newSecret(ctx, settings))
  return ctx.state.csrf
}

/** Every POST: from a page of ours, with the token of this browser. Nothing was done yet when it fails. */
export function csrfCheck(settings: HttpSettings): Middleware {
  return async (ctx, next) => {
    const secret = ctx.state.login?.token ?? readSecret(ctx, settings)
    const sent = ctx.state.form?.csrf ?? ''
    if (secret === undefined || !isSame(sent, derive(secret))) throw refused()
    await next()
  }
}

/**
 * What the browser itself says of where a POST comes from, before its body is read. Programs without either header are left to the token.
 * `Origin: null` is what a page sends that hides its address, or one that has none (a sandboxed frame); only Sec-Fetch-Site tells them apart.
 */
export function originCheck(settings: HttpSettings): Middleware {
  return async (ctx, next) => {
    const site = ctx.get('Sec-Fetch-Site')
    const origin = ctx.get('Origin')
    if (site !== '' && site !== 'same-origin' && site !== 'none') throw refused()
    if (origin === 'null' ? site !== 'same-origin' : origin !== '' && !isOurs(origin, ctx, settings)) throw refused()
    await next()
  }
}

/** The base URL, or the name by which this request came, which host-check has let through. */
function isOurs(origin: string, ctx: Ctx, settings: HttpSettings): boolean {
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
    'This form did not come from a page of ours in this browser, or it is out of date. Nothing was changed.',
  )
}
