import {
  document,
  documentDeletion,
  documentRestored,
  documentUpdate,
  type DocumentRestored,
} from '../../../contract/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { toDocumentUpdate } from './filter.ts'
import { presentDocument } from '../../../contract/present/documents.ts'

const tag = 'Documents'
const path = '/api/v1/documents/{id}'
const idDescription = 'ID of the document'

export const changeRoutes = ({ documents }: Pick<Dependencies, 'documents'>): Route[] => [
  route({
    operationId: 'updateDocument',
    method: 'PATCH',
    path,
    tag,
    summary: 'Rename, move or tag a document',
    description: [
      'Changes the document without embedding it again. As soon as you get the answer, searches find it by its new name, title, path, tags and project.',
      'There is one exception: a document that is not ready yet, or that the index cannot change now, is `queued` again, and searches find it as it was until it is ready.',
    ].join(' '),
    access: 'write:documents',
    idDescription,
    body: documentUpdate,
    answers: { 200: { description: 'The document after the change', schema: document } },
    problems: ['document_not_found', 'project_not_found', 'path_taken', 'is_attachment', 'too_many_tags'],
    async handle({ ctx, actor, id, body }) {
      ctx.body = presentDocument(await documents.update(actor, id, toDocumentUpdate(body)))
    },
  }),
  route({
    operationId: 'deleteDocument',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete a document',
    description:
      'Moves the document to the trash, which keeps it for `trash_days`. In the trash, it still counts towards the quota of bytes. With `permanent=true`, docsearch deletes it for good, even from the trash.',
    access: 'write:documents',
    idDescription,
    query: documentDeletion,
    answers: { 204: { description: 'The document is deleted, and no search finds it any more' } },
    problems: ['document_not_found', 'is_attachment'],
    async handle({ ctx, actor, id, query }) {
      await documents.delete(actor, id, { isPermanent: query.permanent === true })
      ctx.status = 204
    },
  }),
  route({
    operationId: 'restoreDocument',
    method: 'POST',
    path: '/api/v1/documents/{id}/restore',
    tag,
    summary: 'Restore a document from the trash',
    description:
      'Puts the document back under its ID and path, and reads it again. If another document has taken the path, that document goes to the trash. If the document is not in the trash, nothing changes.',
    access: 'write:documents',
    idDescription,
    answers: { 202: { description: 'The document is in the queue', schema: documentRestored } },
    problems: ['document_not_found', 'is_attachment', 'quota_exceeded'],
    async handle({ ctx, actor, id }) {
      const { document: restored, replacedId } = await documents.restore(actor, id)
      ctx.status = 202
      ctx.body = { ...presentDocument(restored), replaced_id: replacedId } satisfies DocumentRestored
    },
  }),
  route({
    operationId: 'reprocessDocument',
    method: 'POST',
    path: '/api/v1/documents/{id}/reprocess',
    tag,
    summary: 'Read and index a document again',
    access: 'write:documents',
    idDescription,
    answers: { 202: { description: 'The document is in the queue and stays searchable as it was until then', schema: document } },
    problems: ['document_not_found'],
    async handle({ ctx, actor, id }) {
      const requeued = await documents.reprocess(actor, id)
      ctx.status = 202
      ctx.body = presentDocument(requeued)
    },
  }),
]
