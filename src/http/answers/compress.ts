import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Ctx } from '../routing/context.ts'

/** In the order of preference. Browsers accept Brotli only over HTTPS and on this computer. */
const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

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
