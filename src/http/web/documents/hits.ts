import { passageAddress } from '../../../contract/addresses.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Span } from '../../../core/excerpt.ts'
import type { Page } from '../../../core/parsed.ts'
import { pageAt } from '../../../pages/document/window.ts'
import type { SearchFields } from '../../../pages/search/fields.ts'
import { toSearchRequest } from '../../api/search/routes.ts'
import type { Dependencies } from '../../dependencies.ts'
import { clientGone } from '../../routing/context.ts'
import type { ViewCall } from '../routing/page.ts'
import { requestOf } from '../../search-fields.ts'

/** A search returns at most this many passages of the document. */
const MAX_PASSAGES = 100

/** Where a document has what the reader looks for, in the order of the text. */
export interface Hits {
  /** Offsets in the text of the document. */
  spans: readonly Span[]
  /** True if there are more. */
  isCut: boolean
}

type SearchParts = Pick<Dependencies, 'search' | 'settings'>

/** Returns where the text has the words of `find`, or else the passages that the search for the question finds in this document. */
export async function hitsOf(
  parts: SearchParts,
  call: ViewCall,
  { text, find, fields }: { text: string; find: string; fields: SearchFields },
): Promise<Hits> {
  if (find !== '') return findInText(text, find)
  return fields.q ? passagesOf(parts, call, fields) : { spans: [], isCut: false }
}

async function passagesOf(
  { search, settings }: SearchParts,
  { ctx, actor, id }: ViewCall,
  { q, exact }: SearchFields,
): Promise<Hits> {
  const fields: SearchFields = { q: q ?? '', document: id, ...(exact && { exact }) }
  const { request } = requestOf(fields, { queryChars: settings.limits.queryChars, limit: MAX_PASSAGES })
  if (request === null) return { spans: [], isCut: false }
  try {
    const { hits } = await search.search(actor, { ...toSearchRequest(request), facets: null, rerank: false }, clientGone(ctx))
    const spans = hits.map(({ passage }): Span => [passage.charStart, passage.charEnd]).toSorted(([a], [b]) => a - b)
    return { spans, isCut: hits.length === MAX_PASSAGES }
  } catch (error) {
    // The address has a question that no search accepts. The document can still be read.
    if (isDocsearchError(error, 'invalid_query')) return { spans: [], isCut: false }
    throw error
  }
}

/** Returns the `passage` parameter of the address that shows a span of the text. */
export function passageOf(
  { id, text: whole, pages }: { id: string; text: string; pages: readonly Page[] },
  [charStart, charEnd]: Span,
): { passage: string; page: number } {
  const text = whole.slice(charStart, charEnd)
  const page = pageAt(pages, charStart) ?? 1
  const address = passageAddress({ documentId: id, page, charStart, charEnd, text })
  return { passage: new URL(address, 'http://localhost').searchParams.get('passage')!, page }
}

/** The longest text to look for. */
export const MAX_FIND_CHARACTERS = 200
/** More matches than this help nobody. */
const MAX_MATCHES = 1_000

interface Matches {
  spans: readonly Span[]
  /** True if there are more. */
  isCut: boolean
}

/** Returns where a text contains words as they were typed: in any letter case, with any white space between them. Takes time in proportion to the text. */
function findInText(text: string, wanted: string): Matches {
  const words = wanted.slice(0, MAX_FIND_CHARACTERS).trim().split(/\s+/)
  if (words[0] === '') return { spans: [], isCut: false }
  const pattern = new RegExp(words.map(escaped).join(String.raw`\s+`), 'giu')
  const spans: Span[] = []
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (spans.length === MAX_MATCHES) return { spans, isCut: true }
    spans.push([index, index + match.length])
  }
  return { spans, isCut: false }
}

/** Escapes the syntax of regular expressions. */
function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
