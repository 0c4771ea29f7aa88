import { textQuery } from '../../../contract/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { endWithSight } from '../../middleware/credential-watch.ts'
import { route, type Route } from '../../routing/route.ts'

export const textRoute = ({ credentials, documents }: Pick<Dependencies, 'credentials' | 'documents'>): Route =>
  route({
    operationId: 'getDocumentText',
    method: 'GET',
    path: '/api/v1/documents/{id}/text',
    tag: 'Documents',
    summary: 'Read the extracted text',
    description:
      'Exactly what was extracted, with a form feed (U+000C) between pages. The offsets of a search result count in this text.',
    access: 'read:documents',
    idDescription: 'ID of the document',
    query: textQuery,
    answers: { 200: { description: 'The text in UTF-8', type: 'text/plain; charset=utf-8' } },
    problems: ['document_not_found', 'page_not_found', 'text_not_ready'],
    async handle({ ctx, actor, id, query }) {
      const { document, text } = await documents.text(actor, id, query.page)
      endWithSight(ctx, credentials, actor, document.id)
      ctx.set('Content-Type', 'text/plain; charset=utf-8')
      ctx.body = text
    },
  })
