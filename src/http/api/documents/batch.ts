import type { z } from 'zod'
import { documentBatch, documentBatchAnswer, type DocumentBatchAnswer } from '../../../contract/documents.ts'
import type { BatchAction } from '../../../services/services.ts'
import type { Dependencies } from '../../dependencies.ts'
import { PROBLEMS } from '../../problems/problems.ts'
import { route, type Route } from '../../routing/route.ts'
import { toDocumentUpdate } from './filter.ts'

/** What each action answers for one document. */
const DONE = { delete: 204, restore: 202, reprocess: 202, update: 200 } as const

export const batchRoute = ({ documents }: Pick<Dependencies, 'documents'>): Route =>
  route({
    operationId: 'changeDocuments',
    method: 'POST',
    path: '/api/v1/documents/batch',
    tag: 'Documents',
    summary: 'Delete, restore, reprocess or change many documents',
    description:
      'Applies one action to up to 1,000 documents, one after the other. The answer has a result for each document, in the order of `ids`. `update` changes tags, or moves the documents to another project. Except for `reprocess`, an attachment whose message is among the documents follows it, and gets the same result. `restore` refuses attachments that exceed a quota with `quota_exceeded`, and restores their message.',
    access: 'write:documents',
    body: documentBatch,
    answers: { 200: { description: 'A result for each document', schema: documentBatchAnswer } },
    problems: ['project_not_found'],
    async handle({ ctx, actor, body, gone }) {
      const results = await documents.batch(actor, body.ids, toAction(body), gone)
      ctx.body = {
        results: results.map(({ id, refusal, replacedId }) =>
          refusal === null
            ? { id, status: DONE[body.action], ...(typeof replacedId === 'string' && { replaced_id: replacedId }) }
            : { id, status: PROBLEMS[refusal].status, code: refusal },
        ),
      } satisfies DocumentBatchAnswer
    },
  })

function toAction(batch: z.output<typeof documentBatch>): BatchAction {
  switch (batch.action) {
    case 'delete':
      return { action: 'delete', isPermanent: batch.permanent }
    case 'update':
      return { action: 'update', change: toDocumentUpdate(batch) }
    default:
      return { action: batch.action }
  }
}
