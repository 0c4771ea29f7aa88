import type { Middleware } from '../routing/context.ts'

/**
 * Lets pages of every origin read the metadata documents, because browsers read RFC 8414 and 9728 metadata too. Nothing else has CORS: the API
 * answers only its own origin, and tokens don't belong in client-side code, so neither does the token endpoint.
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
