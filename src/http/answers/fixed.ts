import { createHash } from 'node:crypto'
import type { Ctx } from '../routing/context.ts'
import { hasCurrent } from './etag.ts'

/** An answer that is the same for every caller. docsearch makes it once, so sending it costs almost nothing. */
export interface FixedAnswer {
  type: string
  body: Buffer
  etag: string
}

export function fixedAnswer(type: string, text: string): FixedAnswer {
  const body = Buffer.from(text)
  return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/**
 * Returns a function that makes the answer at its first call and then returns the same answer. Simultaneous callers share the
 * work. After a failure, the next call tries again.
 */
export function memoize(make: () => Promise<FixedAnswer>): () => Promise<FixedAnswer> {
  let made: Promise<FixedAnswer> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Sends the answer, or 304 if the client already has it. */
export function sendFixed(ctx: Ctx, { type, body, etag }: FixedAnswer, cacheControl: string): void {
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', cacheControl)
  if (hasCurrent(ctx, etag)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', type)
  ctx.body = body
}
