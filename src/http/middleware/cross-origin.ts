import type { Middleware } from '../routing/context.ts'

/** The endpoints that a public application without a server needs to get and revoke a token. They ignore cookies. */
const OPEN_ENDPOINTS = new Set(['/api/oauth/token', '/api/oauth/revoke'])
const TWO_HOURS = 2 * 60 * 60

/**
 * Lets scripts from every origin read the metadata documents (RFC 8414, 9728) and call the endpoints that a public application in
 * a browser needs. A script can't read the answer to a request with cookies. Nothing else has CORS headers, so only scripts from
 * the instance's own origin can read answers of the API and the views.
 */
export function crossOrigin(): Middleware {
  return async (ctx, next) => {
    const isMetadata = ctx.path.startsWith('/.well-known/')
    if (isMetadata || OPEN_ENDPOINTS.has(ctx.path)) {
      ctx.set('Access-Control-Allow-Origin', '*')
      // `*` covers every header except Authorization (Fetch section 4.9), in which an application may send its client ID.
      ctx.set('Access-Control-Allow-Headers', isMetadata ? '*' : 'Authorization, Content-Type, *')
      ctx.set('Access-Control-Allow-Methods', isMetadata ? 'GET' : 'POST')
      ctx.set('Access-Control-Expose-Headers', 'Retry-After, WWW-Authenticate, X-Request-Id')
      ctx.set('Access-Control-Max-Age', String(TWO_HOURS))
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    await next()
  }
}
