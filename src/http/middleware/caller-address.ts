import type { Middleware } from '../routing/context.ts'

/** Gives requests through the local socket, which have no IP address, a name for everything that counts or stores addresses. */
export function callerAddress(): Middleware {
  return async (ctx, next) => {
    // Koa's `ip` is '' for the socket. With `trust_proxy`, it is the address that the caller claims, as for any other direct
    // caller.
    if (ctx.request.ip === '') ctx.request.ip = 'local socket'
    await next()
  }
}
