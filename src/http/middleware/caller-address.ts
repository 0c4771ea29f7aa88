import type { Middleware } from '../routing/context.ts'

/** Names the caller of a request through the local socket, which has no IP address, for everything that counts or stores addresses. */
export function callerAddress(): Middleware {
  return async (ctx, next) => {
    // Koa's `ip` is '' here, or with `trust_proxy` whatever the caller claims, as for any other direct caller.
    if (ctx.request.ip === '') ctx.request.ip = 'local socket'
    await next()
  }
}
