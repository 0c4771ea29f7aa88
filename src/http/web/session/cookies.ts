import { basePathOf } from '../../answers/base-path.ts'
import type { Ctx } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'

/** `session`: the login. `form`: the CSRF secret before the login. `flash`: a message that is shown once. */
export type CookieKind = 'session' | 'form' | 'flash'

type Base = Pick<HttpSettings, 'baseUrl'>

/**
 * Returns the name of a cookie. Over HTTPS it starts with `__Host-`, so that no other host and no plain HTTP answer can set the cookie
 * (RFC 6265bis section 4.1.3). Below a path of its host, it starts with `__Secure-`, because `__Host-` does not allow the path that keeps the cookie
 * from other services there. On plain loopback it contains the port, because cookies ignore ports and two instances would log each other out.
 * The base URL decides, never a forwarded header.
 */
export function cookieName(base: Base, kind: CookieKind): string {
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
