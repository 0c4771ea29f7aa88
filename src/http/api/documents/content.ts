import { route } from '../../route.ts'
import { FILE_POLICY, sendOriginal, typeByContent } from '../../send-original.ts'
import { findDocument } from './find.ts'

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
    await sendOriginal(ctx, services, document, {
      disposition: 'attachment',
      contentType: typeByContent(document.mediaType),
      policy: FILE_POLICY,
    })
  },
})
