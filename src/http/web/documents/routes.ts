import { hasFrame, renderDocument } from '../../../pages/document/document.tsx'
import { paths } from '../../../pages/paths.ts'
import { presentDocument } from '../../api/documents/present.ts'
import type { Dependencies } from '../../dependencies.ts'
import { asAttachment, sendOriginal } from '../../answers/send-original.ts'
import type { Page } from '../routing/page.ts'
import { allowFrames } from '../routing/page-policy.ts'
import { searchFieldsOf } from '../search/search-fields.ts'
import { mannerOf, PDF_POLICY } from './manner.ts'
import { placeIn, wantedOf } from './place.ts'

export const documentPages = ({ documents, search }: Pick<Dependencies, 'documents' | 'search'>): Page[] => [
  {
    method: 'GET',
    path: paths.document(':id'),
    access: 'user',
    async handle({ ctx, actor, id, show, signedIn }) {
      const { document, pages } = await documents.pages(actor, id)
      const fields = searchFieldsOf(ctx.query)
      const place =
        pages === null
          ? { window: null, passage: null, page: 1 }
          : placeIn(pages, wantedOf(ctx.query, fields.q), (question, text) => search.highlight(question, text))
      const shown = presentDocument(document)
      if (hasFrame(shown)) allowFrames(ctx)
      show(renderDocument({ ...signedIn(), document: shown, ...place, lastPage: pages?.at(-1)?.number ?? 0, fields }))
    },
  },
  {
    // The API sends the original only for its own credentials, and a session is none.
    method: 'GET',
    path: paths.original(':id'),
    access: 'user',
    async handle({ ctx, actor, id }) {
      const original = await documents.original(actor, id)
      const { document } = original
      const manner = ctx.query['download'] === undefined ? mannerOf(document) : asAttachment(document.mediaType)
      await sendOriginal(ctx, original, manner)
      if (manner.policy === PDF_POLICY) ctx.set('X-Frame-Options', 'SAMEORIGIN')
    },
  },
]
