import { document, documentList, documentListQuery, type DocumentList } from '../../../contract/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { changeRoutes } from './changes.ts'
import { contentRoute } from './content.ts'
import { presentDocument } from './present.ts'
import { textRoute } from './text.ts'

const tag = 'Documents'

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
    path: '/api/v1/documents/{id}',
    tag,
    summary: 'Show a document',
    access: 'read:documents',
    idDescription: 'ID of the document',
    answers: { 200: { description: 'The document', schema: document } },
    problems: ['document_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentDocument(await documents.get(actor, id))
    },
  }),
  ...changeRoutes({ documents }),
  contentRoute({ documents }),
  textRoute({ documents }),
]
