import { pageImageQuery, parsePageNumber } from '../../../contract/page-images.ts'
import type { Dependencies } from '../../dependencies.ts'
import { sendPageImage } from '../../answers/send-page-image.ts'
import { endWithSight } from '../../middleware/credential-watch.ts'
import { route, type Route } from '../../routing/route.ts'

export const pageImageRoute = ({ credentials, pageImages }: Pick<Dependencies, 'credentials' | 'pageImages'>): Route =>
  route({
    operationId: 'getDocumentPageImage',
    method: 'GET',
    path: '/api/v1/documents/{id}/pages/{n}.png',
    tag: 'Documents',
    summary: 'Show a page as an image',
    description:
      'A PNG with 16 shades of grey, or with up to 16 colours if the page has colour. A page more than four times as tall as wide can get a narrower image than `w`, because images are at most 8,000 pixels tall. Only PDFs and pictures have images; other documents answer 404 with `no_page_images`.',
    access: 'read:documents',
    idDescription: 'ID of the document',
    pathDescriptions: { n: 'Number of the page, from 1' },
    query: pageImageQuery,
    headers: { 'If-None-Match': { description: 'An ETag; the answer is 304 when it is still the current one' } },
    answers: {
      200: { description: 'The image', type: 'image/png', headers: { ETag: 'Changes when the image changes' } },
      304: { description: 'Unchanged' },
    },
    problems: ['document_not_found', 'page_not_found', 'no_page_images', 'page_image_failed', 'blob_missing'],
    async handle({ ctx, actor, id, params, query }) {
      const image = await pageImages.get(actor, id, parsePageNumber(params['n'] ?? ''), query.w)
      endWithSight(ctx, credentials, actor, image.document.id)
      await sendPageImage(ctx, image)
    },
  })
