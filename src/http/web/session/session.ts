import { hashSecret } from '../../../core/secrets.ts'
import type { User } from '../../../core/model.ts'
import { actorOf } from '../../../services/access.ts'
import { beginMoment } from '../../middleware/credential-watch.ts'
import { callAsUser } from '../../middleware/request.ts'
import type { Ctx, Middleware } from '../../routing/context.ts'
import type { Dependencies, HttpSettings } from '../../dependencies.ts'
import { basePathOf } from '../../middleware/base-path.ts'

/** Session tokens are shorter than this, so longer cookies are ignored. */
const MAX_CHARACTERS = 512
/** The session's row decides when the login ends, so the cookie may live longer. Browsers keep a cookie for at most 400 days (RFC 6265bis section 5.5). */
const COOKIE_SECONDS = 400 * 24 * 60 * 60

type Parts = Pick<Dependencies, 'accounts' | 'settings'>

/** Finds out who is logged in. The Authorization header has no effect on a page. */
export function loadSession({ accounts, settings }: Parts): Middleware {
  return async (ctx, next) => {
    const token = readCookie(ctx, settings, 'session')
    const moment = await beginMoment(ctx)
    const found =
      token === undefined || token.length > MAX_CHARACTERS ? null : await moment.run(() => accounts.findSession(token))
    if (found === null || token === undefined) return next()
    const { user, session } = found
    ctx.state.login = { ...found, token, actor: actorOf(user) }
    ctx.state.credential = { kind: 'session', key: hashSecret(token) }
    await callAsUser(ctx, user.id, { kind: 'session', id: session.id, name: null, lastFour: null }, next)
  }
}

/**
 * Logs this browser in with a new session, and ends the session it had. So nobody can plant a session and wait until its user logs in
 * (session fixation).
 */
export async function beginSession(ctx: Ctx, { accounts, settings }: Parts, user: User): Promise<void> {
  const former = ctx.state.login
  const { token, session } = await accounts.startSession(user, {
    userAgent: ctx.get('User-Agent').slice(0, 300),
    address: ctx.ip,
  })
  if (former !== undefined) await accounts.endSession(former.user.id, former.session.id)
  ctx.state.login = { token, session, user, actor: actorOf(user) }
  writeCookie(ctx, settings, 'session', token, COOKIE_SECONDS)
}

/** Logs this browser out. */
export async function finishSession(ctx: Ctx, { accounts, settings }: Parts): Promise<void> {
  const { login } = ctx.state
  if (login !== undefined) await accounts.endSession(login.user.id, login.session.id)
  delete ctx.state.login
  writeCookie(ctx, settings, 'session', '', 0)
}

/** `session`: the login. `form`: the CSRF secret before the login. `flash`: a message that is shown once. */
type CookieKind = 'session' | 'form' | 'flash'

type Base = Pick<HttpSettings, 'baseUrl'>

/**
 * Returns the name of a cookie. Over HTTPS it starts with `__Host-`, so that no other host and no plain HTTP answer can set the cookie
 * (RFC 6265bis section 4.1.3). Below a path of its host, it starts with `__Secure-`, because `__Host-` does not allow the path that keeps the cookie
 * from other services there. On plain loopback it contains the port, because cookies ignore ports and two instances would log each other out.
 * The base URL decides, never a forwarded header.
 */
function cookieName(base: Base, kind: CookieKind): string {
  const url = new URL(base.baseUrl())
  const secureName = basePathOf(base.baseUrl()) === '' ? '__Host-docsearch' : '__Secure-docsearch'
  const name = url.protocol === 'https:' ? secureName : `docsearch_${url.port === '' ? '80' : url.port}`
  return kind === 'session' ? name : `${name}_${kind}`
}

export function readCookie(ctx: Ctx, base: Base, kind: CookieKind): string | undefined {
  return ctx.cookies.get(cookieName(base, kind))
}

/** `value` must have only characters that cookies allow. A `maxAgeSeconds` of 0 removes the cookie. */
export function writeCookie(ctx: Ctx, base: Base, kind: CookieKind, value: string, maxAgeSeconds: number): void {
  const secure = new URL(base.baseUrl()).protocol === 'https:' ? '; Secure' : ''
  // Not through Koa, which refuses Secure when a proxy it does not trust terminated TLS.
  ctx.append(
    'Set-Cookie',
    `${cookieName(base, kind)}=${value}; Path=${basePathOf(base.baseUrl()) || '/'}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}
