import { document, documentList, documentListQuery, type DocumentList } from '../../../contract/documents.ts'
import { pageRequest } from '../../page.ts'
import { route } from '../../route.ts'
import { findProjectId } from '../projects/find.ts'
import { contentRoute } from './content.ts'
import { findDocument, notFound } from './find.ts'
import { presentDocument } from './present.ts'
import { textRoute } from './text.ts'

const tag = 'Documents'
const path = '/api/v1/documents/{id}'
const idDescription = 'Id of the document'

export const documentRoutes = [
  route({
    operationId: 'listDocuments',
    method: 'GET',
    path: '/api/v1/documents',
    tag,
    summary: 'List your documents',
    access: 'read:documents',
    query: documentListQuery,
    answers: { 200: { description: 'A page of documents', schema: documentList } },
    problems: ['invalid_cursor', 'project_not_found'],
    async handle({ ctx, services, caller, query }) {
      const { items, nextCursor } = await services.records.documents.list(caller.userId, {
        ...pageRequest(query),
        ...(query.project === undefined ? {} : { projectId: await findProjectId(services, caller, query.project) }),
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.warnings === undefined ? {} : { warnings: query.warnings }),
        ...(query.name === undefined ? {} : { name: query.name }),
        ...(query.sha256 === undefined ? {} : { sha256: query.sha256 }),
      })
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
    async handle({ ctx, services, caller, id }) {
      ctx.body = presentDocument(await findDocument(services, caller, id))
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
    answers: { 204: { description: 'It is gone, from search too' } },
    problems: ['document_not_found'],
    async handle({ ctx, services, caller, id }) {
      if (!(await services.ingest.deleteDocument(caller.userId, id))) notFound(id)
      ctx.status = 204
    },
  }),
  contentRoute,
  textRoute,
  route({
    operationId: 'reprocessDocument',
    method: 'POST',
    path: '/api/v1/documents/{id}/reprocess',
    tag,
    summary: 'Read and index a document anew',
    access: 'write:documents',
    idDescription,
    answers: { 202: { description: 'It is in the queue; what was searchable stays so until then', schema: document } },
    problems: ['document_not_found'],
    async handle({ ctx, services, caller, id }) {
      const requeued = (await services.ingest.reprocess(caller.userId, id)) ?? notFound(id)
      ctx.status = 202
      ctx.body = presentDocument(requeued)
    },
  }),
]
