import type { Middleware } from '../routing/context.ts'

/**
 * The metadata documents are for pages of every origin (RFC 8414 and 9728 readers in browsers). Nothing else is: the API answers its own origin only, and tokens do not
 * belong in client-side code, so the token endpoint has no CORS either.
 */
export function openMetadata(): Middleware {
  return async (ctx, next) => {
    if (ctx.path.startsWith('/.well-known/')) {
      ctx.set('Access-Control-Allow-Origin', '*')
      ctx.set('Access-Control-Allow-Headers', '*')
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    await next()
  }
}
