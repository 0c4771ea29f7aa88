import { pageImageQuery, parsePageNumber } from '../../../contract/documents.ts'
import { presentDocument } from '../../../contract/present.ts'
import { validate } from '../../../contract/validate.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { formatOf, hasPageImages } from '../../../core/formats.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import type { TextToMark } from '../../../core/page-image.ts'
import { documentText, type Page } from '../../../core/parsed.ts'
import type { MailLinks } from '../../../pages/document/about.tsx'
import { renderDocument } from '../../../pages/document/document.tsx'
import type { OriginalPage } from '../../../pages/document/original-page.tsx'
import { pageAt, startOfPage } from '../../../pages/document/window.ts'
import { paths } from '../../../pages/paths.ts'
import type { SearchFields } from '../../../pages/search/fields.ts'
import { attachmentHeaders, FILE_POLICY, type OriginalHeaders, sendOriginal, sendPageImage } from '../../answers/send-original.ts'
import type { Dependencies } from '../../dependencies.ts'
import { endWithSight } from '../../middleware/credential-watch.ts'
import type { View, ViewCall } from '../routing/page.ts'
import { searchFieldsOf } from '../../search-fields.ts'
import { type Hits, hitsOf, passageOf } from './hits.ts'
import { findPlace, type OpenedPart, readTarget, type Target, citationOf, hitLinksOf, type Reading, stripOf } from './reading.ts'
import { z } from 'zod'
import { renderDocumentDelete, renderTrashedDocument } from '../../../pages/document/trash.tsx'
import { insufficientRole } from '../../../services/visible-projects.ts'

type Parts = Pick<Dependencies, 'credentials' | 'documents' | 'pageImages' | 'projects' | 'search' | 'settings'>

export const documentPages = (parts: Parts): View[] => [...viewPages(parts), ...trashPages(parts)]

const viewPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.document(':id'),
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
    cost: 'streaming',
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
    async handle({ ctx, actor, id, params }) {
      const { w } = validate(pageImageQuery, { ...ctx.query })
      const image = await parts.pageImages.get(actor, id, parsePageNumber(params['n'] ?? ''), w)
      endWithSight(ctx, parts.credentials, actor, image.document.id)
      await sendPageImage(ctx, image)
    },
  },
]

async function showDocument(parts: Parts, call: ViewCall): Promise<void> {
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

type Asked = Pick<Reading, 'document' | 'target' | 'fields'> & { pages: readonly Page[] | null }

/** Returns the part of the text that the address asks for, with the hits around it; without text, only the place. */
async function readingOf(
  parts: Parts,
  call: ViewCall,
  { document, pages, target, fields }: Asked,
): Promise<{ reading: Reading | null; place: Omit<OpenedPart, 'window'> & { window: OpenedPart['window'] | null } }> {
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

/** Of more attachments, the view shows the first ones by name. The list of documents has all. */
const MAX_SHOWN = 50

/** Returns the message of an attachment and the attachments of a message; undefined for any other document. */
async function mailLinksOf(
  { documents }: Pick<Dependencies, 'documents'>,
  { actor }: Pick<ViewCall, 'actor'>,
  { id, parentId, mediaType }: DocumentRecord,
): Promise<MailLinks | undefined> {
  const isMail = formatOf(mediaType)?.countedIn === 'messages'
  if (!isMail && parentId === null) return undefined
  const message = parentId === null ? null : await documents.get(actor, parentId).catch(orNull)
  const { items, nextCursor } = isMail
    ? await documents.list(actor, { parentId: id, sort: 'name', limit: MAX_SHOWN })
    : { items: [], nextCursor: null }
  return { message: message && presentDocument(message), attachments: items.map(presentDocument), hasMore: nextCursor !== null }
}

/** The message was deleted since the attachment was read. */
function orNull(error: unknown): null {
  if (isDocsearchError(error, 'document_not_found')) return null
  throw error
}

/**
 * No page may frame a PDF, and no script runs. There is no sandbox, because browsers show no PDF inside one. Scripts in a
 * PDF run in the browser's viewer, which has another origin. `nosniff` keeps the file from being taken for another type. Some browsers make
 * their viewer of an object and a style, so the policy allows these.
 */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Returns the headers that show an original in the browser. Browsers save types that could run a script. */
function viewHeaders(document: DocumentRecord): OriginalHeaders {
  const { mediaType } = document
  const view = formatOf(mediaType)?.originalView
  if (view === 'pdf') return { disposition: 'inline', contentType: mediaType, policy: PDF_POLICY }
  if (view === 'text') return { disposition: 'inline', contentType: `text/plain${charsetOf(document)}`, policy: FILE_POLICY }
  return attachmentHeaders(mediaType)
}

/** Returns the character set that the parser found, as a parameter of the content type. */
function charsetOf({ parse }: DocumentRecord): string {
  const { encoding } = parse
  return typeof encoding === 'string' && /^[\w-]{1,40}$/.test(encoding) ? `; charset=${encoding}` : ''
}

interface Wanted {
  document: DocumentRecord
  pages: readonly Page[] | null
  place: Pick<OpenedPart, 'passage' | 'page'>
  target: Target
  fields: SearchFields
}

/** Returns the page of the original that belongs to the text, with its marks; null for a document without images of pages. */
async function originalPageOf(
  { pageImages }: Pick<Dependencies, 'pageImages'>,
  { actor }: Pick<ViewCall, 'actor'>,
  { document, pages, place, target, fields }: Wanted,
): Promise<OriginalPage | null> {
  if (!hasPageImages(document.mediaType)) return null
  // Next to no text, half of the view would be empty, and a damaged file has no images either.
  if (document.status === 'failed' && pages === null) return null
  const count = Math.max(1, document.pageCount ?? pages?.length ?? 1)
  const number = Math.min(place.page, count)
  const marks = await pageImages.marks(actor, document, number, textToMark(pages, number, place.passage))
  const hasText = pages?.some((page) => page.number === number && page.text.trim() !== '') ?? false
  return {
    documentId: document.id,
    number,
    count,
    marks,
    shown: target.view ?? (hasText ? 'text' : 'page'),
    zoom: target.zoom,
    passage: target.passage,
    find: target.find,
    fields,
  }
}

/** Returns the part of the passage that is on a page, and its words. */
function textToMark(pages: readonly Page[] | null, number: number, passage: OpenedPart['passage']): TextToMark {
  const nothing: TextToMark = { text: '', passage: null, words: [] }
  if (pages === null || passage === null || passage === 'gone') return nothing
  let start = 0
  for (const page of pages) {
    const { text } = page
    if (page.number === number) {
      const within = (offset: number): number => Math.min(text.length, Math.max(0, offset - start))
      const span = ([from, to]: readonly [number, number]): [number, number] => [within(from), within(to)]
      const isThere = ([from, to]: readonly [number, number]): boolean => to > from
      const marked = span([passage.start, passage.end])
      const words = passage.marks.map(([from, to]) => span([passage.start + from, passage.start + to])).filter(isThere)
      return isThere(marked) ? { text, passage: marked, words } : nothing
    }
    // One more for the form feed between two pages.
    start += text.length + 1
  }
  return nothing
}

/** Shows a document in the trash. Returns false when it is not there. */
async function showTrashed({ documents }: Parts, { actor, id, show, signedIn }: ViewCall): Promise<boolean> {
  const trashed = await documents.trashed(actor, id)
  if (trashed === null) return false
  const { document, endsAt } = trashed
  const shown = { ...presentDocument(document), trashed_at: document.trashedAt.toISOString() }
  show(renderTrashedDocument({ ...signedIn(), document: shown, endsAt: endsAt.toISOString() }))
  return true
}

/** Returns true if the user may change the documents of the project. */
async function canWrite({ projects }: Parts, { actor }: ViewCall, projectId: string): Promise<boolean> {
  return (await projects.get(actor, projectId)).role !== 'reader'
}

const trashPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.documentDelete(':id'),
    async handle(call) {
      const { actor, id, show, signedIn } = call
      const { trashDays } = parts.documents
      const trashed = await parts.documents.trashed(actor, id)
      const document = trashed?.document ?? (await parts.documents.get(actor, id))
      if (!(await canWrite(parts, call, document.projectId))) throw insufficientRole('writer')
      const shown = presentDocument(document)
      show(renderDocumentDelete({ ...signedIn(), document: shown, trashDays, isTrashed: trashed !== null }))
    },
  },
  {
    method: 'POST',
    path: paths.documentDelete(':id'),
    async handle(call) {
      const { actor, id, submitted, goTo } = call
      const { data } = submitted(z.object({ permanent: z.literal('true').optional() }))
      const trashed = await parts.documents.trashed(actor, id)
      if (trashed !== null) {
        const isDeleted = data?.permanent === 'true' && (await parts.documents.deleteTrashed(actor, id))
        if (isDeleted) goTo(paths.project(trashed.document.projectId), 'document_purged')
        else goTo(paths.document(id))
        return
      }
      const { projectId } = await parts.documents.get(actor, id)
      // The question was about a document in the trash. Meanwhile, somebody has restored it.
      if (data?.permanent === 'true') return goTo(paths.document(id))
      await parts.documents.delete(actor, id)
      if (parts.documents.trashDays === 0) goTo(paths.project(projectId), 'document_purged')
      else goTo(paths.project(projectId), 'document_deleted', id)
    },
  },
  {
    method: 'POST',
    path: paths.documentRestore(':id'),
    async handle({ actor, id, goTo }) {
      const { replacedId } = await parts.documents.restore(actor, id)
      if (replacedId === null) goTo(paths.document(id), 'document_restored')
      else goTo(paths.document(id), 'document_restored_over', replacedId)
    },
  },
]
