import type { Middleware } from '../routing/context.ts'

/** What a public application needs to get a token and to end it, without a server of its own. Each of these ignores cookies. */
const OPEN_ENDPOINTS = new Set(['/api/oauth/token', '/api/oauth/revoke'])
const TWO_HOURS = 2 * 60 * 60

/**
 * Lets pages of every origin use the metadata documents (RFC 8414, 9728) and the endpoints that a public application in a browser needs. Browsers
 * send no cookies there and would not show the answer to a request with cookies. Nothing else has CORS: the API and the pages answer only their
 * own origin.
 */
export function crossOrigin(): Middleware {
  return async (ctx, next) => {
    const isMetadata = ctx.path.startsWith('/.well-known/')
    if (isMetadata || OPEN_ENDPOINTS.has(ctx.path)) {
      ctx.set('Access-Control-Allow-Origin', '*')
      // `*` covers every header but Authorization (Fetch section 4.9), in which an application may send its client ID.
      ctx.set('Access-Control-Allow-Headers', isMetadata ? '*' : 'Authorization, Content-Type, *')
      ctx.set('Access-Control-Allow-Methods', isMetadata ? 'GET' : 'POST')
      ctx.set('Access-Control-Expose-Headers', 'Retry-After, WWW-Authenticate, X-Request-Id')
      ctx.set('Access-Control-Max-Age', String(TWO_HOURS))
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    await next()
  }
}
