import { passageAddress } from '../../../contract/addresses.ts'
import { excerptOf, type Span } from '../../../core/excerpt.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import type { Page } from '../../../core/parsed.ts'
import { formatOf } from '../../../core/formats.ts'
import { pageWord } from '../../../core/location.ts'
import type { StripCell } from '../../../pages/document/page-strip.tsx'
import type { Citation, HitLinks } from '../../../pages/document/reading-bar.tsx'
import { pageAt } from '../../../pages/document/window.ts'
import { paths } from '../../../pages/paths.ts'
import { SEARCH_FIELDS, type SearchFields } from '../../../pages/search/fields.ts'
import { passageOf, type Hits } from './hits.ts'
import type { OpenedPart, Target } from './place.ts'

/** The strip groups the pages of longer documents. */
const MAX_CELLS = 60
const MAX_NAME_CHARS = 80
/** A citation quotes at most this much. */
const QUOTE = { characters: 280, lines: Infinity, whole: 320 }

export interface Reading {
  document: DocumentRecord
  pages: readonly Page[]
  /** `documentText(pages)`. */
  text: string
  hits: Hits
  place: OpenedPart
  target: Target
  fields: SearchFields
}

/** Returns links to the hits before and after what the view shows; null if the reader looks for nothing. */
export function hitLinksOf(reading: Reading): HitLinks | null {
  const { hits, place, target, fields } = reading
  if (target.find === '' && !fields.q) return null
  const { spans, isCut } = hits
  const { passage, window } = place
  const shown = passage === null || passage === 'gone' ? null : passage
  const start = shown?.start ?? null
  const at = shown === null ? -1 : indexOfHit(spans, shown)
  // Without a current hit, the links lead from the first page that the view shows.
  const from = start ?? window.sheets[0]?.start ?? 0
  const before = at >= 0 ? at - 1 : spans.findLastIndex(([begin]) => begin < from)
  const after = at >= 0 ? at + 1 : spans.findIndex(([begin]) => begin >= from)
  const addressOf = (index: number) => {
    const span = spans[index]
    return span === undefined ? null : hitAddress(reading, span)
  }
  return { count: spans.length, isCut, current: at < 0 ? null : at + 1, previous: addressOf(before), next: addressOf(after) }
}

/** A search over several documents may join other neighbouring passages than a search in one document. */
function indexOfHit(spans: readonly Span[], { start, end }: { start: number; end: number }): number {
  const exact = spans.findIndex(([from]) => from === start)
  return exact >= 0 ? exact : spans.findIndex(([from, to]) => from < end && to > start)
}

function hitAddress({ document, pages, text, target: { find, view, zoom }, fields }: Reading, span: Span): string {
  const { passage, page } = passageOf({ id: document.id, text, pages }, span)
  const query = new URLSearchParams({ page: String(page), passage })
  if (find !== '') query.set('find', find)
  if (view !== null) query.set('view', view)
  if (zoom !== null) query.set('w', String(zoom))
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${paths.document(document.id)}?${query}#${paths.passageAnchor}`
}

/** Returns the passage as a quote with its source; null if the view shows none. */
export function citationOf({ document, pages, text: whole, place: { passage } }: Reading, baseUrl: string): Citation | null {
  if (passage === null || passage === 'gone') return null
  const { start, end, marks } = passage
  const text = whole.slice(start, end)
  const page = pageAt(pages, start) ?? 1
  const address = baseUrl + passageAddress({ documentId: document.id, page, charStart: start, charEnd: end, text })
  const [from, to] = excerptOf(text, marks, QUOTE)
  const words = oneLine(text.slice(from, to))
  const quote = `${from > 0 ? '…' : ''}${words}${to < text.length ? '…' : ''}`
  const counted = formatOf(document.mediaType)?.countedIn
  const isPaged = counted !== 'lines' && counted !== 'rows'
  const word = pageWord(document.mediaType)
  const source = isPaged ? `${document.name}, ${word === 'page' ? 'p.' : word} ${page}` : document.name
  return {
    quote: oneLine(text),
    text: `${source}: "${quote}" ${address}`,
    markdown: `> ${escapeMarkdown(quote)}\n>\n> — [${escapeMarkdown(source)}](${address})`,
  }
}

/** Returns what the strip shows of each page, or of each group of pages. */
export function stripOf({ document, pages, hits, place, target, fields }: Reading): StripCell[] {
  const size = Math.ceil(pages.length / MAX_CELLS)
  const hitsOn = Map.groupBy(hits.spans, ([start]) => pageAt(pages, start) ?? 1)
  const shown = new Set(place.window.sheets.map(({ page }) => page.number))
  const warned = new Set(document.warnings.flatMap(({ page }) => page ?? []))
  const isEmpty = ({ text }: Page) => text.trim() === ''
  const isNamed = formatOf(document.mediaType)?.countedIn !== 'pages'
  return Array.from({ length: Math.ceil(pages.length / size) || 0 }, (_, index): StripCell => {
    const own = pages.slice(index * size, (index + 1) * size)
    const numbers = own.map(({ number }) => number)
    const first = numbers[0]!
    const firstWithHit = numbers.find((number) => hitsOn.has(number)) ?? first
    const query = new URLSearchParams({ page: String(firstWithHit) })
    if (target.find !== '') query.set('find', target.find)
    for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
    return {
      first,
      last: numbers.at(-1)!,
      name: own.length === 1 && isNamed ? nameOf(own[0]!) : null,
      empty: own.filter(isEmpty).length,
      warned: numbers.filter((number) => warned.has(number)).length,
      hits: numbers.reduce((sum, number) => sum + (hitsOn.get(number)?.length ?? 0), 0),
      isCurrent: place.page >= first && place.page <= numbers.at(-1)! && numbers.some((number) => shown.has(number)),
      address: `${paths.document(document.id)}?${query}#page-${first}`,
    }
  })
}

/** Returns the heading that a sheet, slide or chapter begins with. */
function nameOf({ text, blocks: [first] }: Page): string | null {
  return first?.kind === 'heading' ? oneLine(text.slice(first.start, first.end)).slice(0, MAX_NAME_CHARS) : null
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, String.raw`\$&`)
}
