import { document, documentList, documentListQuery, type DocumentList } from '../../../contract/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { batchRoute } from './batch.ts'
import { changeRoutes } from './changes.ts'
import { contentRoute } from './content.ts'
import { pageImageRoute } from './page-image.ts'
import { toDocumentFilter } from './filter.ts'
import { presentDocument } from '../../../contract/present/documents.ts'
import { textRoute } from './text.ts'

const tag = 'Documents'

export const documentRoutes = ({
  credentials,
  documents,
  pageImages,
}: Pick<Dependencies, 'credentials' | 'documents' | 'pageImages'>): Route[] => [
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
      const { items, nextCursor } = await documents.list(actor, toDocumentFilter(query))
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
  batchRoute({ documents }),
  contentRoute({ credentials, documents }),
  textRoute({ credentials, documents }),
  pageImageRoute({ credentials, pageImages }),
]
