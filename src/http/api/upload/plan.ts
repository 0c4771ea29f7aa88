import { uploadPlan, uploadPlanRequest, type UploadPlan } from '../../../contract/upload-plan.ts'
import type { PlannedFile } from '../../../services/upload-plan.ts'
import type { Dependencies } from '../../dependencies.ts'
import { shownError } from '../../problems/problems.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentDocument } from '../../../contract/present/documents.ts'

export const planRoute = ({ uploadPlans }: Pick<Dependencies, 'uploadPlans'>): Route =>
  route({
    operationId: 'planUpload',
    method: 'POST',
    path: '/api/v1/upload/plan',
    tag: 'Documents',
    summary: 'Say what an upload would do',
    description: [
      'Send the path, hash and size of up to 1,000 files. The answer says which files the project does not have yet, so that you can leave out the others.',
      'This request stores nothing. The upload checks the files again, and can still reject a file because of its content.',
    ].join(' '),
    access: 'write:documents',
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
