import { hasPageImages } from '../../../core/formats.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import type { TextToMark } from '../../../core/page-image.ts'
import type { Page } from '../../../core/parsed.ts'
import type { OriginalPage } from '../../../pages/document/original-page.tsx'
import type { SearchFields } from '../../../pages/search/fields.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { PageCall } from '../routing/page.ts'
import type { Place, Target } from './place.ts'

interface Wanted {
  document: DocumentRecord
  pages: readonly Page[] | null
  place: Pick<Place, 'passage' | 'page'>
  target: Target
  fields: SearchFields
}

/** Returns the page of the original that belongs to the text, with its marks; null for a document without images of pages. */
export async function originalPageOf(
  { pageImages }: Pick<Dependencies, 'pageImages'>,
  { actor }: Pick<PageCall, 'actor'>,
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
function textToMark(pages: readonly Page[] | null, number: number, passage: Place['passage']): TextToMark {
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
