import type { Ctx } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'

/** The login; what binds the forms shown to a stranger; a message that is shown once. */
export type CookieKind = 'session' | 'form' | 'flash'

type Base = Pick<HttpSettings, 'baseUrl'>

/**
 * Over https a `__Host-` cookie: no other host and no plain answer can set it (RFC 6265bis section 4.1.3). On plain loopback the name has the
 * port in it, because cookies ignore ports and two instances would log each other out. The base URL decides, never a forwarded header.
 */
export function cookieName(base: Base, kind: CookieKind): string {
  const url = new URL(base.baseUrl())
  const name = url.protocol === 'https:' ? '__Host-docsearch' : `docsearch_${url.port === '' ? '80' : url.port}`
  return kind === 'session' ? name : `${name}_${kind}`
}

export function readCookie(ctx: Ctx, base: Base, kind: CookieKind): string | undefined {
  return ctx.cookies.get(cookieName(base, kind))
}

/** `value` of cookie characters only. A life of 0 seconds removes it. */
export function writeCookie(ctx: Ctx, base: Base, kind: CookieKind, value: string, maxAgeSeconds: number): void {
  const secure = new URL(base.baseUrl()).protocol === 'https:' ? '; Secure' : ''
  // By hand: Koa refuses Secure where a proxy ended TLS and it was not told to believe it.
  ctx.append(
    'Set-Cookie',
    `${cookieName(base, kind)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}
