import type { Original } from '../../services/documents.ts'
import type { Ctx } from '../routing/context.ts'
import { fail } from '../problems/problems.ts'
import type { PageImage } from '../../services/page-images.ts'

/** Uploaded HTML must never run under the address of the instance: it loads nothing, and the browser gives it its own origin. */
export const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

/** The headers that decide whether a browser shows or saves the original, and what the file may do. */
export interface OriginalHeaders {
  /** `inline` shows the file in the browser. Only for types that can't run a script. */
  disposition: 'attachment' | 'inline'
  contentType: string
  policy: string
}

/** Answers with the bytes that were uploaded. Supports ETag, one range and HEAD. Throws `range_not_satisfiable`, `blob_missing`. */
export async function sendOriginal(
  ctx: Ctx,
  { document, sizeBytes: size, open }: Original,
  { disposition, contentType, policy }: OriginalHeaders,
): Promise<void> {
  const etag = `"${document.sha256}"`
  ctx.set('ETag', etag)
  ctx.set('Accept-Ranges', 'bytes')
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.set('Content-Security-Policy', policy)
  if (hasCurrent(ctx, etag)) {
    ctx.status = 304
    return
  }
  const range = wantsRange(ctx, etag) ? parseRange(ctx.get('Range'), size) : null
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${size}`)
    throw fail('range_not_satisfiable', `The file has ${size} bytes.`, { size_bytes: size })
  }
  ctx.status = range === null ? 200 : 206
  ctx.body = ctx.method === 'HEAD' ? null : await open(range ?? undefined)
  ctx.status = range === null ? 200 : 206
  ctx.attachment(document.name, { type: disposition })
  ctx.set('Content-Type', contentType)
  ctx.length = range === null ? size : range.end - range.start + 1
  if (range !== null) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
}

/** Returns the headers that make a browser save the file. docsearch doesn't know the character set of the bytes, so the type has none. */
export function attachmentHeaders(mediaType: string): OriginalHeaders {
  // Most programming languages have no standard media type, and every program can show plain text.
  const known = mediaType.startsWith('text/x-') ? 'text/plain' : mediaType
  const contentType = /^[\w.+-]+\/[\w.+-]+$/.test(known) ? known : 'application/octet-stream'
  return { disposition: 'attachment', contentType, policy: FILE_POLICY }
}

function wantsRange(ctx: Ctx, etag: string): boolean {
  const condition = ctx.get('If-Range')
  return ctx.get('Range') !== '' && (condition === '' || condition === etag)
}

interface ByteRange {
  /** Both ends are included. */
  start: number
  end: number
}

/**
 * Returns the single range that a Range header asks for (RFC 9110 section 14). Returns null when the answer is the whole file, which is also
 * right for several ranges and for unknown units. Returns `unsatisfiable` when the answer is 416.
 */
function parseRange(header: string, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/i.exec(header)
  if (match === null) return null
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === undefined || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== undefined && last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}

/** Sends the image of a page, or 304 if the client has it. A browser asks each time, because the user may lose access. */
export async function sendPageImage(ctx: Ctx, { etag, png }: PageImage): Promise<void> {
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', 'private, no-cache')
  if (hasCurrent(ctx, etag)) {
    ctx.status = 304
    return
  }
  const image = await png()
  ctx.set('Content-Type', 'image/png')
  ctx.body = image
}

/** Returns true if the client already has the answer with this ETag (If-None-Match, RFC 9110 section 13.1.2). */
export function hasCurrent(ctx: Ctx, etag: string): boolean {
  return ctx
    .get('If-None-Match')
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
