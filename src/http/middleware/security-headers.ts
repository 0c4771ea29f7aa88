import type { Middleware } from '../routing/context.ts'

/** The strictest that fits data; a page loosens its own policy. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('Cross-Origin-Resource-Policy', 'same-origin')
    ctx.set('Content-Security-Policy', DATA_POLICY)
    // What is answered to a credential is nobody else's; a public page says what may be kept of it.
    ctx.set('Cache-Control', 'no-store')
    await next()
  }
}
