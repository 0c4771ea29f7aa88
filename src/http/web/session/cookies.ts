import type { Ctx } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'

/** `session`: the login. `form`: the CSRF secret before the login. `flash`: a message that is shown once. */
export type CookieKind = 'session' | 'form' | 'flash'

type Base = Pick<HttpSettings, 'baseUrl'>

/**
 * Returns the name of a cookie. Over HTTPS it starts with `__Host-`, so that no other host and no plain HTTP answer can set the cookie
 * (RFC 6265bis section 4.1.3). On plain loopback it contains the port, because cookies ignore ports and two instances would log each other out.
 * The base URL decides, never a forwarded header.
 */
export function cookieName(base: Base, kind: CookieKind): string {
  const url = new URL(base.baseUrl())
  const name = url.protocol === 'https:' ? '__Host-docsearch' : `docsearch_${url.port === '' ? '80' : url.port}`
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
    `${cookieName(base, kind)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}
