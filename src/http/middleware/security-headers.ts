import type { Middleware } from '../routing/context.ts'

/** The strictest policy, which is right for data. Each page sets a looser one. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('Cross-Origin-Resource-Policy', 'same-origin')
    ctx.set('Content-Security-Policy', DATA_POLICY)
    // An answer may be private to its user. Public answers set their own Cache-Control.
    ctx.set('Cache-Control', 'no-store')
    await next()
  }
}
