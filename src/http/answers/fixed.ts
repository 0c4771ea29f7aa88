import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Ctx } from '../routing/context.ts'
import { hasCurrent } from './send-original.ts'

/** An answer that is the same for every caller. docsearch makes it once, so sending it costs almost nothing. */
export interface FixedAnswer {
  type: string
  body: Buffer
  /** Hash of the body. */
  hash: string
  /** The compressed bodies that somebody has asked for. */
  compressed: Partial<Record<Encoding, Promise<Buffer>>>
}

export function fixedAnswer(type: string, content: string | Buffer): FixedAnswer {
  const body = Buffer.from(content)
  return { type, body, hash: createHash('sha256').update(body).digest('base64url'), compressed: {} }
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

/** Images other than SVG are compressed already. */
const IS_TEXT = /^text\/|json|xml/

/** Sends the answer, or 304 if the client already has it. The answer has nothing secret, so it may be compressed. */
export async function sendFixed(ctx: Ctx, answer: FixedAnswer, cacheControl: string): Promise<void> {
  const { type, body, hash, compressed } = answer
  const encoding = IS_TEXT.test(type) ? encodingFor(ctx, body.length) : null
  // Each encoding is a representation with its own ETag (RFC 9110 section 8.8.3).
  const etag = `"${hash}${encoding === null ? '' : `-${encoding}`}"`
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', cacheControl)
  if (hasCurrent(ctx, etag)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', type)
  if (encoding !== null) ctx.set('Content-Encoding', encoding)
  ctx.body = encoding === null ? body : await (compressed[encoding] ??= compress(body, encoding, { isKept: true }))
}

/** In the order of preference. Browsers accept Brotli only over HTTPS and on this computer. */
const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]

/** A smaller answer fits into one packet anyway. */
const MIN_BYTES = 1_000

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** Returns the encoding for an answer of this size; null if it should be sent as it is. Also sets `Vary`. */
export function encodingFor(ctx: Ctx, bytes: number): Encoding | null {
  ctx.vary('Accept-Encoding')
  if (bytes < MIN_BYTES) return null
  return ENCODINGS.find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? null
}

/** `isKept`: the result is sent many times, so it may take longer. The work is done outside the main thread. */
export function compress(body: Buffer, encoding: Encoding, { isKept }: { isKept: boolean }): Promise<Buffer> {
  return encoding === 'br'
    ? compressors.br(body, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: isKept ? 10 : 5,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
    : compressors.gzip(body, { level: isKept ? 9 : 6 })
}
