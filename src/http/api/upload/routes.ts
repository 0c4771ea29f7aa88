import { documentedUploadQuery, uploadAnswer, uploadFields } from '../../../contract/documents.ts'
import { z } from 'zod'
import { fail } from '../../problems.ts'
import { route, type Call } from '../../route.ts'
import { acceptFiles, type Accepted } from './accept.ts'
import { readUpload } from './body.ts'
import { incomingFiles } from './incoming.ts'
import { preferredWait } from './prefer.ts'
import { presentRefusal, presentUpload } from './present.ts'

const fields = z.toJSONSchema(uploadFields, { io: 'input' }) as { properties: Record<string, object> }

export const uploadRoutes = [
  route({
    operationId: 'upload',
    method: 'POST',
    path: '/api/v1/upload',
    tag: 'Documents',
    summary: 'Upload documents',
    description: [
      'One or more files as `multipart/form-data`, or one file as the body with `?name=` (and `project`, `tags`, `path`, `on_conflict` as parameters too).',
      'A 2xx is a promise: the bytes are on the disk, synced, and will be processed after any crash. Nothing is accepted before the whole body has arrived.',
      'The type is decided by content. A name keeps only what follows the last slash; with control characters or more than 1,000 characters the file is rejected (`invalid_name`).',
      'Two different files of one request with the same path are not both taken (`duplicate_path`).',
      'When every file is rejected, the status is that of the cause (409, 413, 415, 422; 422 for several causes) and the body has the fields of a problem beside `documents` and `rejected`.',
    ].join(' '),
    access: 'write:documents',
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          additionalProperties: false,
          properties: {
            file: { type: 'array', minItems: 1, items: { type: 'string', contentMediaType: 'application/octet-stream' } },
            ...fields.properties,
          },
        },
      },
      '*/*': {
        schema: { type: 'string', contentMediaType: 'application/octet-stream', description: 'One file; needs `?name=`' },
      },
    },
    documentedQuery: documentedUploadQuery,
    headers: { Prefer: { description: 'Waits for processing, at most 120 seconds', example: 'wait=30' } },
    answers: {
      200: {
        description: 'With `Prefer: wait`: all of them are ready or failed',
        schema: uploadAnswer,
        headers: { 'Preference-Applied': 'The wait that was applied' },
      },
      202: { description: 'Stored and in the queue', schema: uploadAnswer },
    },
    problems: [
      'invalid_request',
      'invalid_multipart',
      'project_not_found',
      'document_exists',
      'too_large',
      'body_too_large',
      'too_many_files',
      'too_many_parts',
      'unsupported_media_type',
      'unsupported_type',
      'empty_file',
      'encrypted',
      'invalid_name',
      'duplicate_path',
      'cannot_be_processed',
      'disk_full',
    ],
    handle,
  }),
]

async function handle({ ctx, services, caller, ending }: Call): Promise<void> {
  // Nothing is read that cannot be kept. Little room is health's to tell: a small file still fits.
  const { freeBytes } = await services.disk()
  if (freeBytes !== null && freeBytes <= (ctx.request.length ?? 0)) throw fail('disk_full', 'No room is left.')
  const incoming = incomingFiles(services.blobs.incoming, services.http.limits.fileBytes)
  let accepted: Accepted
  try {
    accepted = await acceptFiles(services, caller, await readUpload(ctx, incoming, services.http.limits))
  } finally {
    await incoming.clean()
  }
  if (accepted.documents.length === 0) {
    const refusal = presentRefusal(accepted, ctx.state.requestId, services.http.baseUrl())
    ctx.status = refusal.status
    ctx.body = JSON.stringify(refusal)
    ctx.type = 'application/problem+json'
    return
  }
  const isDone = await waitIfAsked({ ctx, services, caller, ending }, accepted)
  ctx.status = isDone ? 200 : 202
  ctx.body = presentUpload(accepted)
}

/** With `Prefer: wait=N`: true when all are ready or failed, and then `accepted` shows them so. */
async function waitIfAsked(
  { ctx, services, caller, ending }: Pick<Call, 'ctx' | 'services' | 'caller' | 'ending'>,
  accepted: Accepted,
): Promise<boolean> {
  const seconds = preferredWait(ctx.get('Prefer'))
  if (seconds === null) return false
  ctx.set('Preference-Applied', `wait=${seconds}`)
  const ids = accepted.documents.map(({ document }) => document.id)
  const isDone = await services.ingest.settled(caller.userId, ids, seconds * 1000, ending)
  const now = await services.records.documents.getMany(caller.userId, ids)
  for (const entry of accepted.documents) entry.document = now.get(entry.document.id) ?? entry.document
  return isDone
}
