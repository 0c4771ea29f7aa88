import { DocsearchError } from '../core/errors.ts'
import { countOf } from '../core/count-of.ts'
import type { Page } from '../core/parsed.ts'
import { cutTo } from '../core/text-limits.ts'
import { PAGE_RANGE } from './schemas.ts'

/** Which part of a document to read. */
export interface PageRange {
  first: number
  /** Where to begin in the first page, in UTF-16 code units. */
  offset: number
  last: number
}

const BETWEEN_PAGES = '\n\n'

/** Splits the ID of a search result, `doc_…:p3`, into document and page. The ID of a document has no page. */
export function parseResultId(id: string): { documentId: string; page: number | null } {
  const [, documentId = id, page] = /^(.+):p(\d{1,7})$/s.exec(id) ?? []
  return { documentId, page: page === undefined ? null : Number(page) }
}

/** Returns the range of the argument `pages`. Without it, the range goes from `from` to the end. Throws `invalid_request`. */
export function parseRange(pages: string | undefined, from: number): PageRange {
  if (pages === undefined) return { first: from, offset: 0, last: Infinity }
  const [, first, offset = '0', last = first] = PAGE_RANGE.exec(pages) ?? []
  const range = { first: Number(first), offset: Number(offset), last: Number(last) }
  if (range.first >= 1 && range.last >= range.first) return range
  throw new DocsearchError('invalid_request', `pages is ${JSON.stringify(pages)}. Write it like "3" or "3-5".`)
}

/**
 * Returns the text of the range, at most `maxChars` of it. `next` is the rest of the range as an argument `pages`. Throws
 * `page_not_found` for a range behind the last page.
 */
export function readRange(pages: readonly Page[], range: PageRange, maxChars: number): { text: string; next: string | null } {
  const wanted = pages.filter(({ number }) => number >= range.first && number <= range.last)
  const end = wanted.at(-1)?.number
  if (end === undefined) {
    if (pages.length === 0 && range.first === 1) return { text: '', next: null }
    throw new DocsearchError('page_not_found', `The document has ${countOf(pages.length, 'page')} and no page ${range.first}.`)
  }
  let text = ''
  for (const { number, text: pageText } of wanted) {
    const start = number === range.first ? range.offset : 0
    const rest = pageText.slice(start)
    const between = text === '' ? '' : BETWEEN_PAGES
    if (text.length + between.length + rest.length <= maxChars) {
      text += between + rest
      continue
    }
    // A page is only cut when it doesn't fit into an answer of its own.
    if (text !== '') return { text, next: end === number ? `${number}` : `${number}-${end}` }
    const part = cutTo(rest, maxChars)
    return { text: part, next: `${number}+${start + part.length}${end === number ? '' : `-${end}`}` }
  }
  return { text, next: null }
}
