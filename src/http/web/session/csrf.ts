import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { fail } from '../../problems/problems.ts'
import type { Ctx, Login, Middleware } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'
import { readCookie, writeCookie } from './session.ts'

const SECRET = /^[A-Za-z0-9_-]{43}$/
const FORM_COOKIE_SECONDS = 24 * 60 * 60

/** The part of a page's row that the token depends on. */
interface Purpose {
  isBeforeLogin?: boolean
}

/**
 * Returns the token for every form of a page. The token derives from a cookie that no other site can read. Normally this is the
 * session cookie, so the token ends with its session and is useless in another one. Forms for users who are not logged in use the
 * form cookie, so they still work after a login or a logout in another tab.
 */
export function csrfToken(ctx: Ctx, settings: HttpSettings, { isBeforeLogin = false }: Purpose): string {
  const { login } = ctx.state
  return isBeforeLogin || login === undefined ? masked(ctx, formSecret(ctx, settings)) : sessionToken(ctx, login)
}

/** Returns the token for forms of a user who is logged in. */
export function sessionToken(ctx: Ctx, { token }: Pick<Login, 'token'>): string {
  return masked(ctx, token)
}

/**
 * Returns true if the posted form has the token of this session, or of this browser if the form is for users who are not logged
 * in.
 */
export function hasValidToken(ctx: Ctx, settings: HttpSettings, { isBeforeLogin = false }: Purpose): boolean {
  const { login, form } = ctx.state
  const secrets = [login?.token, login === undefined || isBeforeLogin ? readSecret(ctx, settings) : undefined]
  return secrets.some((secret) => secret !== undefined && isSame(unmask(form?.csrf ?? ''), derive(secret)))
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
    if (site !== '' && site !== 'same-origin' && site !== 'none') throw csrfFailed()
    if (origin === 'null' ? site !== 'same-origin' : origin !== '' && !isOwnOrigin(origin, ctx, settings)) throw csrfFailed()
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

/** Returns the secret of the form cookie. Writes the cookie even if it exists, so that the form works for a day from now. */
function formSecret(ctx: Ctx, settings: HttpSettings): string {
  if (ctx.state.formSecret === undefined) {
    ctx.state.formSecret = readSecret(ctx, settings) ?? randomBytes(32).toString('base64url')
    writeCookie(ctx, settings, 'form', ctx.state.formSecret, FORM_COOKIE_SECONDS)
  }
  return ctx.state.formSecret
}

const TOKEN_BYTES = 32

function derive(secret: string): Buffer {
  return createHmac('sha256', secret).update('docsearch form').digest()
}

/**
 * Returns the token as it stands in forms: a random pad, and the token encrypted with the pad. It looks different in every answer, so
 * nobody can learn it from the sizes of many compressed answers (BREACH). All forms of an answer have the same pad.
 */
function masked(ctx: Ctx, secret: string): string {
  if (ctx.state.csrf?.secret !== secret) {
    const pad = randomBytes(TOKEN_BYTES)
    ctx.state.csrf = { secret, token: Buffer.concat([pad, xor(pad, derive(secret))]).toString('base64url') }
  }
  return ctx.state.csrf.token
}

/** Returns null for what can't be a token. */
function unmask(sent: string): Buffer | null {
  const bytes = Buffer.from(sent, 'base64url')
  if (bytes.length !== 2 * TOKEN_BYTES) return null
  return xor(bytes.subarray(0, TOKEN_BYTES), bytes.subarray(TOKEN_BYTES))
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]!))
}

function isSame(sent: Buffer | null, wanted: Buffer): boolean {
  return sent !== null && sent.length === wanted.length && timingSafeEqual(sent, wanted)
}

export function csrfFailed(): Error {
  return fail(
    'csrf_failed',
    'You have logged in or out since you opened this form, or the form did not come from this instance in this browser. Nothing was changed.',
  )
}
