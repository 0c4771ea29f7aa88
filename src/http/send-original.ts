import type { DocumentRecord } from '../core/model.ts'
import { fail } from './problems.ts'
import { parseRange } from './range.ts'
import type { Ctx } from './route.ts'
import type { Services } from './services.ts'

/** Somebody else's HTML must never run under our address: nothing loads, and a browser gives it an origin of its own. */
export const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

export interface Manner {
  /** What a browser does with it: `inline` only for types in which nothing runs. */
  disposition: 'attachment' | 'inline'
  contentType: string
  policy: string
}

/** Answers with the bytes that were uploaded: ETag, one range, HEAD. Throws `range_not_satisfiable`, `blob_missing`. */
export async function sendOriginal(
  ctx: Ctx,
  { blobs }: Pick<Services, 'blobs'>,
  document: DocumentRecord,
  { disposition, contentType, policy }: Manner,
): Promise<void> {
  const size = await blobs.size(document.sha256)
  const etag = `"${document.sha256}"`
  ctx.set('ETag', etag)
  ctx.set('Accept-Ranges', 'bytes')
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.set('Content-Security-Policy', policy)
  if (matches(ctx.get('If-None-Match'), etag)) {
    ctx.status = 304
    return
  }
  const range = wantsRange(ctx, etag) ? parseRange(ctx.get('Range'), size) : null
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${size}`)
    throw fail('range_not_satisfiable', `The file has ${size} bytes.`, { size_bytes: size })
  }
  ctx.status = range === null ? 200 : 206
  ctx.body = ctx.method === 'HEAD' ? null : await blobs.open(document.sha256, range ?? undefined)
  ctx.status = range === null ? 200 : 206
  ctx.attachment(document.name, { type: disposition })
  ctx.set('Content-Type', contentType)
  ctx.length = range === null ? size : range.end - range.start + 1
  if (range !== null) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
}

/** The type by content. The bytes' own character set is unknown to us, so none is claimed. */
export function typeByContent(mediaType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
}

function wantsRange(ctx: Ctx, etag: string): boolean {
  const condition = ctx.get('If-Range')
  return ctx.get('Range') !== '' && (condition === '' || condition === etag)
}

function matches(header: string, etag: string): boolean {
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
