import type { Ctx } from './route.ts'

/** Aborts when the client has gone, or has its answer: what is only for it can end. */
export function clientGone(ctx: Ctx): AbortSignal {
  const gone = new AbortController()
  ctx.res.once('close', () => gone.abort())
  return gone.signal
}
