import { document, documentList, documentListQuery, type DocumentList } from '../../../contract/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { contentRoute } from './content.ts'
import { presentDocument } from './present.ts'
import { textRoute } from './text.ts'

const tag = 'Documents'
const path = '/api/v1/documents/{id}'
const idDescription = 'ID of the document'

export const documentRoutes = ({ documents }: Pick<Dependencies, 'documents'>): Route[] => [
  route({
    operationId: 'listDocuments',
    method: 'GET',
    path: '/api/v1/documents',
    tag,
    summary: 'List your documents',
    access: 'read:documents',
    query: documentListQuery,
    answers: { 200: { description: 'Some of your documents, and the cursor to the next ones', schema: documentList } },
    problems: ['invalid_cursor', 'project_not_found'],
    async handle({ ctx, actor, query }) {
      const { path_prefix: pathPrefix, media_type: mediaType, ...filter } = query
      const { items, nextCursor } = await documents.list(actor, { ...filter, pathPrefix, mediaType })
      ctx.body = { documents: items.map(presentDocument), next_cursor: nextCursor } satisfies DocumentList
    },
  }),
  route({
    operationId: 'getDocument',
    method: 'GET',
    path,
    tag,
    summary: 'Show a document',
    access: 'read:documents',
    idDescription,
    answers: { 200: { description: 'The document', schema: document } },
    problems: ['document_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentDocument(await documents.get(actor, id))
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
  contentRoute({ documents }),
  textRoute({ documents }),
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
