import { hasFrame, renderDocument } from '../../../pages/document/document.tsx'
import { paths } from '../../../pages/paths.ts'
import { presentDocument } from '../../api/documents/present.ts'
import type { Dependencies } from '../../dependencies.ts'
import { attachmentHeaders, sendOriginal } from '../../answers/send-original.ts'
import type { Page } from '../routing/page.ts'
import { allowFrames } from '../routing/page-policy.ts'
import { searchFieldsOf } from '../search/search-fields.ts'
import { viewHeaders, PDF_POLICY } from './original-headers.ts'
import { findPlace, readTarget } from './place.ts'

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
          : findPlace(pages, readTarget(ctx.query, fields.q), (question, text) => search.highlight(question, text))
      const shown = presentDocument(document)
      if (hasFrame(shown)) allowFrames(ctx)
      show(renderDocument({ ...signedIn(), document: shown, ...place, lastPage: pages?.at(-1)?.number ?? 0, fields }))
    },
  },
  {
    // Browsers need this route because the API does not accept a session.
    method: 'GET',
    path: paths.original(':id'),
    access: 'user',
    async handle({ ctx, actor, id }) {
      const original = await documents.original(actor, id)
      const { document } = original
      const headers = ctx.query['download'] === undefined ? viewHeaders(document) : attachmentHeaders(document.mediaType)
      await sendOriginal(ctx, original, headers)
      if (headers.policy === PDF_POLICY) ctx.set('X-Frame-Options', 'SAMEORIGIN')
    },
  },
]
