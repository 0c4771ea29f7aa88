import { hasFrame, renderDocument } from '../../../pages/document/document.tsx'
import { paths } from '../../../pages/paths.ts'
import { presentDocument } from '../../api/documents/present.ts'
import type { Page } from '../page.ts'
import { allowFrames } from '../page-policy.ts'
import { searchFieldsOf } from '../search-fields.ts'
import { documentOf } from './find.ts'
import { placeIn, wantedOf } from './place.ts'

export const documentPages: Page[] = [
  {
    method: 'GET',
    path: paths.document(':id'),
    access: 'user',
    async handle(call) {
      const { ctx, services, user, id, show, signedIn } = call
      const document = await documentOf(call)
      const pages = await services.records.documents.pages(user.id, id)
      const fields = searchFieldsOf(ctx.query)
      const place = pages === null ? { window: null, passage: null, page: 1 } : placeIn(pages, wantedOf(ctx.query, fields.q))
      const shown = presentDocument(document)
      if (hasFrame(shown)) allowFrames(ctx)
      show(
        renderDocument({
          ...signedIn(),
          document: shown,
          ...place,
          lastPage: pages?.at(-1)?.number ?? 0,
          fields,
        }),
      )
    },
  },
]
