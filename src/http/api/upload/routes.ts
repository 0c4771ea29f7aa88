import { z } from 'zod'
import type { Problem } from '../../../contract/common.ts'
import { documentedUploadQuery, uploadAnswer, type UploadAnswer, uploadFields } from '../../../contract/documents.ts'
import { presentDocument } from '../../../contract/present.ts'
import { uploadPlan, type UploadPlan, uploadPlanRequest } from '../../../contract/upload-plan.ts'
import { isApiErrorCode, isDocsearchError } from '../../../core/errors.ts'
import type { PlannedFile } from '../../../services/upload-plan.ts'
import type { AcceptedUpload } from '../../../services/uploads.ts'
import type { Dependencies } from '../../dependencies.ts'
import { requireCredential } from '../../middleware/credential-watch.ts'
import { fail, shownError, toProblem } from '../../problems/problems.ts'
import { type Call, type Route, routesWith } from '../../routing/route.ts'
import { checkHeaders, readUpload } from './read-upload.ts'

const route = routesWith({ tag: 'Documents', access: 'write:documents' })

const planRoute = ({ uploadPlans }: Pick<Dependencies, 'uploadPlans'>): Route =>
  route({
    operationId: 'planUpload',
    method: 'POST',
    path: '/api/v1/upload/plan',
    summary: 'Say what an upload would do',
    description: [
      'Send the path, hash and size of up to 1,000 files. The answer says which files the project does not have yet, so that you can leave out the others.',
      'This request stores nothing. The upload checks the files again, and can still reject a file because of its content.',
    ].join(' '),
    body: uploadPlanRequest,
    answers: { 200: { description: 'What the upload would do with each file', schema: uploadPlan } },
    problems: ['project_not_found', 'limited_to_projects'],
    async handle({ ctx, actor, body }) {
      const { project, on_conflict: onConflict, tags = [] } = body
      const files = body.files.map(({ path, sha256, size_bytes: sizeBytes }) => ({ path, sha256, sizeBytes }))
      const planned = await uploadPlans.plan(actor, {
        project,
        tags: tags.length === 0 ? null : [...new Set(tags)],
        onConflict,
        files,
      })
      ctx.body = { files: planned.map(present) } satisfies UploadPlan
    },
  })

function present({ path, state, isNeeded, error, document }: PlannedFile): UploadPlan['files'][number] {
  const refusal = error === null ? null : shownError(error)
  return {
    path,
    state,
    is_needed: isNeeded,
    error: refusal && { code: refusal.code, message: refusal.detail },
    document: document && presentDocument(document),
  }
}

const MAX_WAIT_SECONDS = 120
const fields = z.toJSONSchema(uploadFields, { io: 'input' }) as { properties: Record<string, object> }

type Parts = Pick<Dependencies, 'uploads' | 'uploadPlans' | 'credentials' | 'settings' | 'log'>

export const uploadRoutes = (parts: Parts): Route[] => [
  route({
    operationId: 'upload',
    method: 'POST',
    path: '/api/v1/upload',
    cost: 'streaming',
    summary: 'Upload documents',
    description: [
      'Send one or more files as `multipart/form-data`, or one file as the body with `?name=` (`project`, `tags`, `path` and `on_conflict` are then parameters as well).',
      'After a 2xx answer, the bytes are synced to disk and will be processed, even after a crash. docsearch accepts nothing before the whole body has arrived.',
      'The content decides the type. Only the part of a name after the last slash counts. A name with control characters or more than 1,000 characters is rejected (`invalid_name`).',
      'When two different files of one request have the same path, the second one is rejected (`duplicate_path`).',
      'A user can have 50 uploads in flight (`limits.uploads_in_flight`), and a body must make progress: 64 kB in 60 seconds (`limits.upload_stall_ms`).',
      'Every file is in `documents` or in `rejected`. When the instance fails to store a file, for example because its disk is full (`disk_full`), this file and all files after it are rejected; send them again.',
      'When every file is rejected, the status is that of the cause (409, 413, 415, 422, 503, 507; 422 for several causes) and the body has the fields of a problem in addition to `documents` and `rejected`.',
    ].join(' '),
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
    headers: { Prefer: { description: 'Waits until the documents are processed, at most 120 seconds', example: 'wait=30' } },
    answers: {
      200: {
        description: 'With `Prefer: wait`: all documents are ready or failed',
        schema: uploadAnswer,
        headers: { 'Preference-Applied': 'The wait that was applied' },
      },
      202: { description: 'The documents are stored and in the queue', schema: uploadAnswer },
    },
    problems: [
      'invalid_request',
      'invalid_multipart',
      'request_timeout',
      'project_not_found',
      'limited_to_projects',
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
      'quota_exceeded',
      'disk_full',
    ],
    handle: (call) => handle(parts, call),
  }),
  planRoute(parts),
]

async function handle({ uploads, credentials, settings, log }: Parts, { ctx, actor, ending }: Call): Promise<void> {
  checkHeaders(ctx, settings.limits)
  const incoming = await uploads.begin(actor, ctx.request.length ?? 0)
  let accepted: AcceptedUpload
  try {
    const upload = await readUpload(ctx, incoming, settings.limits)
    // The credential may have ended, because the body can take minutes to arrive.
    await requireCredential(ctx, credentials)
    accepted = await uploads.accept(actor, upload)
  } finally {
    await incoming.clean()
  }
  const failure = failureOf(accepted)
  if (failure !== undefined)
    log.error({ request_id: ctx.state.requestId, err: failure }, 'files of an upload could not be stored')
  if (accepted.documents.length === 0) {
    const refusal = presentRefusal(accepted, ctx.state.requestId, settings.baseUrl())
    ctx.set(refusal.headers)
    ctx.status = refusal.body.status
    ctx.body = JSON.stringify(refusal.body)
    ctx.type = 'application/problem+json'
    return
  }
  const seconds = preferredWait(ctx.get('Prefer'))
  let isDone = false
  if (seconds !== null) {
    ctx.set('Preference-Applied', `wait=${seconds}`)
    const waited = await uploads.waitUntilProcessed(actor, accepted, { timeoutMs: seconds * 1000, signal: ending })
    // The credential has ended, so the answer does not say how the documents are now.
    if (ctx.state.ended?.aborted !== true) ({ accepted, isDone } = waited)
  }
  ctx.status = isDone ? 200 : 202
  ctx.body = presentUpload(accepted)
}

/** Returns the seconds of `Prefer: wait=N` (RFC 7240 section 4.3), at most 120; null when the header doesn't ask for a wait. */
export function preferredWait(header: string): number | null {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(header)
  return match === null ? null : Math.min(Number(match[1]), MAX_WAIT_SECONDS)
}

function presentUpload({ documents, rejected }: AcceptedUpload): UploadAnswer {
  return {
    documents: documents.map(({ document, outcome, trashedId }) => ({
      ...presentDocument(document),
      outcome,
      replaced_id: trashedId,
    })),
    rejected: rejected.map(({ name, error }) => {
      const { code, detail } = shownError(error)
      const isConvertible = isDocsearchError(error, 'unsupported_type') && error.details['convertible'] === true
      return { name, code, message: detail, ...(isConvertible && { convertible: true }) }
    }),
  }
}

/** Returns the failure of the instance that kept it from storing files, if there was one. */
export function failureOf({ rejected }: AcceptedUpload): unknown {
  return rejected.find(({ error }) => shownError(error).status >= 500)?.error
}

/**
 * Returns the answer to an upload of which no file was stored: the fields of a problem and the usual body. The status is that of
 * the instance's failure. Without a failure, it is that of the only cause, or 422 if there are several causes.
 */
function presentRefusal(
  accepted: AcceptedUpload,
  requestId: string,
  baseUrl: string,
): { body: Problem & UploadAnswer; headers: Record<string, string> } {
  const error = failureOf(accepted) ?? sumUp(accepted)
  const { problem, headers } = toProblem(error, requestId, baseUrl)
  return { body: { ...problem, ...presentUpload(accepted) }, headers }
}

function sumUp({ rejected }: AcceptedUpload): Error {
  const codes = new Set(rejected.map(({ error }) => shownError(error).code))
  const [only] = codes
  const code = codes.size === 1 && only !== undefined && isApiErrorCode(only) ? only : 'cannot_be_processed'
  const [first] = rejected
  const message =
    rejected.length === 1 && first !== undefined
      ? shownError(first.error).detail
      : `None of the ${rejected.length} files was accepted; see \`rejected\`.`
  return fail(code, message)
}
