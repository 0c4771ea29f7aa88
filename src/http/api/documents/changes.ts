import { document, documentUpdate } from '../../../contract/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentDocument } from './present.ts'

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
      'Changes the document without embedding it again. After the answer, searches find it by its new name, title, path, tags and project.',
      'A document that is not ready yet, or that the index cannot change now, is `queued` again, and searches find it as it was until then.',
    ].join(' '),
    access: 'write:documents',
    idDescription,
    body: documentUpdate,
    answers: { 200: { description: 'The document after the change', schema: document } },
    problems: ['document_not_found', 'project_not_found', 'path_taken'],
    async handle({ ctx, actor, id, body }) {
      ctx.body = presentDocument(await documents.update(actor, id, body))
    },
  }),
  route({
    operationId: 'deleteDocument',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete a document',
    access: 'write:documents',
    idDescription,
    answers: { 204: { description: 'The document is deleted, and no search finds it any more' } },
    problems: ['document_not_found'],
    async handle({ ctx, actor, id }) {
      await documents.delete(actor, id)
      ctx.status = 204
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
