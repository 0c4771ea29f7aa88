import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { endWithSight } from '../../middleware/credential-watch.ts'
import { attachmentHeaders, sendOriginal } from '../../answers/send-original.ts'

export const contentRoute = ({ credentials, documents }: Pick<Dependencies, 'credentials' | 'documents'>): Route =>
  route({
    operationId: 'getDocumentContent',
    method: 'GET',
    path: '/api/v1/documents/{id}/content',
    tag: 'Documents',
    summary: 'Download the original',
    description:
      'The bytes that were uploaded, as an attachment. A request for one range gets that range; a request for several ranges gets the whole file.',
    access: 'read:documents',
    idDescription: 'ID of the document',
    headers: {
      Range: { description: 'A single range', example: 'bytes=0-1023' },
      'If-None-Match': { description: 'An ETag; the answer is 304 when it is still the current one' },
      'If-Range': { description: 'An ETag; `Range` counts only while it is the current one' },
    },
    answers: {
      200: {
        description: 'The whole file',
        type: 'application/octet-stream',
        headers: { ETag: 'SHA-256 of the bytes', 'Content-Disposition': 'attachment, with the name', 'Accept-Ranges': 'bytes' },
      },
      206: {
        description: 'The range',
        type: 'application/octet-stream',
        headers: { 'Content-Range': 'First and last byte, and the size of the file' },
      },
      304: { description: 'Unchanged' },
    },
    problems: ['document_not_found', 'range_not_satisfiable', 'blob_missing'],
    async handle({ ctx, actor, id }) {
      const original = await documents.original(actor, id)
      endWithSight(ctx, credentials, actor, original.document.id)
      await sendOriginal(ctx, original, attachmentHeaders(original.document.mediaType))
    },
  })
