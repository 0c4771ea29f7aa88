import { isDocsearchError } from '../../../core/errors.ts'
import { documentText, type Page as TextPage } from '../../../core/parsed.ts'
import { renderDocument } from '../../../pages/document/document.tsx'
import { pageAt, startOfPage } from '../../../pages/document/window.ts'
import { paths } from '../../../pages/paths.ts'
import { presentDocument } from '../../../contract/present/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { endWithSight } from '../../middleware/credential-watch.ts'
import { pageImageQuery, parsePageNumber } from '../../../contract/page-images.ts'
import { validate } from '../../../contract/validate.ts'
import { attachmentHeaders, sendOriginal } from '../../answers/send-original.ts'
import { sendPageImage } from '../../answers/send-page-image.ts'
import type { Page, PageCall } from '../routing/page.ts'
import { searchFieldsOf } from '../search/search-fields.ts'
import { originalPageOf } from './original-page.ts'
import { viewHeaders } from './original-headers.ts'
import { mailLinksOf } from './mail-links.ts'
import { hitsOf, passageOf, type Hits } from './hits.ts'
import { findPlace, readTarget, type Place, type Target } from './place.ts'
import { citationOf, hitLinksOf, stripOf, type Reading } from './reading.ts'
import { canWrite, showTrashed, trashPages } from './trash.ts'

type Parts = Pick<Dependencies, 'credentials' | 'documents' | 'pageImages' | 'projects' | 'search' | 'settings'>

export const documentPages = (parts: Parts): Page[] => [...viewPages(parts), ...trashPages(parts)]

const viewPages = (parts: Parts): Page[] => [
  {
    method: 'GET',
    path: paths.document(':id'),
    access: 'user',
    hasScript: true,
    async handle(call) {
      try {
        await showDocument(parts, call)
      } catch (error) {
        if (!isDocsearchError(error, 'document_not_found') || !(await showTrashed(parts, call))) throw error
      }
    },
  },
  {
    // Browsers need this route because the API does not accept a session.
    method: 'GET',
    path: paths.original(':id'),
    access: 'user',
    async handle({ ctx, actor, id }) {
      const original = await parts.documents.original(actor, id)
      const { document } = original
      const headers = ctx.query['download'] === undefined ? viewHeaders(document) : attachmentHeaders(document.mediaType)
      endWithSight(ctx, parts.credentials, actor, document.id)
      await sendOriginal(ctx, original, headers)
    },
  },
  {
    method: 'GET',
    path: paths.pageImage(':id', ':n'),
    access: 'user',
    async handle({ ctx, actor, id, params }) {
      const { w } = validate(pageImageQuery, { ...ctx.query })
      const image = await parts.pageImages.get(actor, id, parsePageNumber(params['n'] ?? ''), w)
      endWithSight(ctx, parts.credentials, actor, image.document.id)
      await sendPageImage(ctx, image)
    },
  },
]

async function showDocument(parts: Parts, call: PageCall): Promise<void> {
  const { ctx, actor, id, show, signedIn } = call
  const { document, pages } = await parts.documents.pages(actor, id)
  const fields = searchFieldsOf(ctx.query)
  const target = readTarget(ctx.query, fields.q)
  const { reading, place } = await readingOf(parts, call, { document, pages, target, fields })
  const shown = presentDocument(document)
  const canDelete = document.parentId === null && (await canWrite(parts, call, document.projectId))
  const mail = await mailLinksOf(parts, call, document)
  const keepsTrash = parts.documents.trashDays > 0
  const original = await originalPageOf(parts, call, { document, pages, place, target, fields })
  const lastPage = pages?.at(-1)?.number ?? 0
  const { find } = target
  const tools = {
    find,
    hits: reading && hitLinksOf(reading),
    citation: reading && citationOf(reading, parts.settings.baseUrl()),
    strip: reading === null ? [] : stripOf(reading),
    missingPage: pages !== null && target.page !== null && startOfPage(pages, target.page) === null ? target.page : null,
  }
  show(
    renderDocument({
      ...signedIn(),
      document: shown,
      ...place,
      ...tools,
      original,
      lastPage,
      fields,
      mail,
      canDelete,
      keepsTrash,
    }),
  )
}

type Asked = Pick<Reading, 'document' | 'target' | 'fields'> & { pages: readonly TextPage[] | null }

/** Returns the part of the text that the address asks for, with the hits around it; without text, only the place. */
async function readingOf(
  parts: Parts,
  call: PageCall,
  { document, pages, target, fields }: Asked,
): Promise<{ reading: Reading | null; place: Omit<Place, 'window'> & { window: Place['window'] | null } }> {
  if (pages === null) return { reading: null, place: { window: null, passage: null, page: target.page ?? 1 } }
  const text = documentText(pages)
  const { find } = target
  const hits = await hitsOf(parts, call, { text, find, fields })
  const wanted = { id: document.id, text, pages }
  const place = findPlace(pages, withFirstHit(target, wanted, hits), (question, part) =>
    // The words that the reader looks for are the passage itself.
    find === '' ? parts.search.highlight(question, part) : [],
  )
  return { reading: { document, pages, text, hits, place, target, fields }, place }
}

/** Leads a reader who looks for words to the first place that has them: on the page of the address, or without one in the document. */
function withFirstHit(target: Target, wanted: Parameters<typeof passageOf>[0], { spans }: Hits): Target {
  const { find, passage, page, at } = target
  if (find === '' || passage !== '' || at !== null) return target
  const first = page === null ? spans[0] : spans.find(([start]) => pageAt(wanted.pages, start) === page)
  return first === undefined ? target : { ...target, ...passageOf(wanted, first) }
}
