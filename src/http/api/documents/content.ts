import { fail } from '../../problems.ts'
import { parseRange } from '../../range.ts'
import { route, type Ctx } from '../../route.ts'
import { findDocument } from './find.ts'

/** Somebody else's HTML must never run under our address: nothing loads, and a browser gives it an origin of its own. */
const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

export const contentRoute = route({
  operationId: 'getDocumentContent',
  method: 'GET',
  path: '/api/v1/documents/{id}/content',
  tag: 'Documents',
  summary: 'Download the original',
  description: 'The bytes that were uploaded, as an attachment. One range is honoured; several are answered with the whole.',
  access: 'read:documents',
  idDescription: 'Id of the document',
  headers: {
    Range: { description: 'A single range', example: 'bytes=0-1023' },
    'If-None-Match': { description: 'An ETag; 304 when it is still this one' },
    'If-Range': { description: 'Range counts only while the ETag is this one' },
  },
  answers: {
    200: {
      description: 'All of it',
      type: 'application/octet-stream',
      headers: { ETag: 'SHA-256 of the bytes', 'Content-Disposition': 'attachment, with the name', 'Accept-Ranges': 'bytes' },
    },
    206: { description: 'The range', type: 'application/octet-stream', headers: { 'Content-Range': 'Which bytes of how many' } },
    304: { description: 'Unchanged' },
  },
  problems: ['document_not_found', 'range_not_satisfiable', 'blob_missing'],
  async handle({ ctx, services, caller, id }) {
    const document = await findDocument(services, caller, id)
    const size = await services.blobs.size(document.sha256)
    const etag = `"${document.sha256}"`
    ctx.set('ETag', etag)
    ctx.set('Accept-Ranges', 'bytes')
    ctx.set('Cache-Control', 'private, no-cache')
    ctx.set('Content-Security-Policy', FILE_POLICY)
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
    ctx.body = ctx.method === 'HEAD' ? null : await services.blobs.open(document.sha256, range ?? undefined)
    ctx.status = range === null ? 200 : 206
    ctx.attachment(document.name)
    ctx.set('Content-Type', contentType(document.mediaType))
    ctx.length = range === null ? size : range.end - range.start + 1
    if (range !== null) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  },
})

/** The type by content. The bytes' own character set is unknown to us, so none is claimed. */
function contentType(mediaType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
}

function wantsRange(ctx: Ctx, etag: string): boolean {
  const condition = ctx.get('If-Range')
  return ctx.get('Range') !== '' && (condition === '' || condition === etag)
}

function matches(header: string, etag: string): boolean {
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
