import { textQuery } from '../../../contract/documents.ts'
import { documentText } from '../../../core/parsed.ts'
import { fail } from '../../problems.ts'
import { route } from '../../route.ts'
import { findDocument } from './find.ts'

export const textRoute = route({
  operationId: 'getDocumentText',
  method: 'GET',
  path: '/api/v1/documents/{id}/text',
  tag: 'Documents',
  summary: 'Read the extracted text',
  description:
    'Exactly what was extracted, pages parted by a form feed (U+000C). The offsets of a search result count in this text.',
  access: 'read:documents',
  idDescription: 'Id of the document',
  query: textQuery,
  answers: { 200: { description: 'The text in UTF-8', type: 'text/plain; charset=utf-8' } },
  problems: ['document_not_found', 'page_not_found', 'text_not_ready'],
  async handle({ ctx, services, caller, id, query }) {
    const document = await findDocument(services, caller, id)
    const pages = await services.records.documents.pages(caller.userId, id)
    if (pages === null) {
      const why =
        document.status === 'failed' ? 'It could not be read; the document’s error says why.' : 'Wait until it is ready.'
      throw fail('text_not_ready', `The text of this document has not been extracted (status: ${document.status}). ${why}`, {
        document_status: document.status,
      })
    }
    const page = query.page === undefined ? undefined : pages.find(({ number }) => number === query.page)
    if (query.page !== undefined && page === undefined) {
      throw fail(
        'page_not_found',
        `The document has ${pages.length} ${pages.length === 1 ? 'page' : 'pages'} of text, none with the number ${query.page}.`,
      )
    }
    ctx.set('Content-Type', 'text/plain; charset=utf-8')
    ctx.body = page === undefined ? documentText(pages) : page.text
  },
})
