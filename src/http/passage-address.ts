import { createHash } from 'node:crypto'
import type { SearchHit } from '../search/search.ts'
import { paths } from '../pages/paths.ts'

/** Where a passage stands in the text of its document, and by what one can tell that it still does. */
export interface PassagePlace {
  /** Offsets in `documentText(pages)`, in UTF-16 code units. */
  start: number
  end: number
  check: string
}

const PASSAGE = /^(\d{1,9})-(\d{1,9})-([0-9a-f]{8})$/

/**
 * Path, query and fragment of a passage in the web page, e.g. `/documents/doc_1?page=12&passage=4711-5230-1f3a9c2e#passage`. It has offsets and
 * not the passage's id, because those stay when the document is cut into passages anew; where its text is another now, the page is what is left.
 */
export function passageAddress({ document, chunk, text }: Pick<SearchHit, 'document' | 'chunk' | 'text'>): string {
  const query = new URLSearchParams({
    page: String(chunk.pageStart),
    passage: `${chunk.charStart}-${chunk.charEnd}-${checkOf(text)}`,
  })
  return `${paths.document(document.id)}?${query}#${paths.passageAnchor}`
}

/** What `passage` of such an address says; null for what is none. */
export function parsePassage(sent: string): PassagePlace | null {
  const [, start = '', end = '', check = ''] = PASSAGE.exec(sent) ?? []
  return check === '' || Number(end) <= Number(start) ? null : { start: Number(start), end: Number(end), check }
}

/** Whether the text of the document still has this passage there. */
export function isThere({ start, end, check }: PassagePlace, documentText: string): boolean {
  return checkOf(documentText.slice(start, end)) === check
}

function checkOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
