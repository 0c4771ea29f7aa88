import type { Ctx } from '../routing/context.ts'

/** Returns true if the client already has the answer with this ETag (If-None-Match, RFC 9110 section 13.1.2). */
export function hasCurrent(ctx: Ctx, etag: string): boolean {
  return ctx
    .get('If-None-Match')
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
