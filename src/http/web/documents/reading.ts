import { isPassageThere, parsePassage, passageAddress } from '../../../contract/addresses.ts'
import { excerptOf, type Span } from '../../../core/excerpt.ts'
import { formatOf } from '../../../core/formats.ts'
import { pageWord } from '../../../core/location.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import { documentText, type Page } from '../../../core/parsed.ts'
import type { PassageState } from '../../../pages/document/document.tsx'
import { type Shown, type Zoom, zoomOf } from '../../../pages/document/original-page.tsx'
import type { StripCell, Citation, HitLinks } from '../../../pages/document/reading-bar.tsx'
import { pageAt, startOfPage, type TextWindow, windowAt } from '../../../pages/document/window.ts'
import { paths } from '../../../pages/paths.ts'
import { SEARCH_FIELDS, type SearchFields } from '../../../pages/search/fields.ts'
import type { SearchService } from '../../../services/search.ts'
import { type Hits, MAX_FIND_CHARACTERS, passageOf } from './hits.ts'

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

/** The part of a document that an address asks for. */
export interface Target {
  passage: string
  /** The number of a page of the document. */
  page: number | null
  /** An offset in the text of the document. */
  at: number | null
  /** The query whose words are marked in the passage. */
  question: string
  /** What a narrow screen shows; null leaves it to the document. */
  view: Shown | null
  zoom: Zoom
  /** Words to find in the document; empty if there are none. */
  find: string
}

export interface OpenedPart {
  window: TextWindow
  passage: PassageState
  /** The number of the page where the window starts or the passage is. */
  page: number
}

type Query = Readonly<Record<string, string | string[] | undefined>>

export function readTarget(query: Query, question: string | undefined): Target {
  const last = (name: string) => [query[name] ?? []].flat().at(-1) ?? ''
  const number = (name: string) => (/^\d{1,9}$/.test(last(name)) ? Number(last(name)) : null)
  return {
    passage: last('passage'),
    page: number('page'),
    at: number('at'),
    question: question ?? '',
    view: viewOf(last('view')),
    zoom: zoomOf(last('w')),
    find: last('find').trim().slice(0, MAX_FIND_CHARACTERS),
  }
}

function viewOf(sent: string): Shown | null {
  return sent === 'text' || sent === 'page' ? sent : null
}

/**
 * Returns the passage if the text still has it, else its page, else the start of the document. An address with a passage and another
 * page leads to that page, and the passage stays marked.
 */
export function findPlace(
  pages: readonly Page[],
  { passage: sent, page, at, question }: Target,
  highlight: SearchService['highlight'],
): OpenedPart {
  const passage = sent === '' ? null : parsePassage(sent)
  if (passage !== null) {
    const text = documentText(pages)
    if (isPassageThere(passage, text)) {
      const { start, end } = passage
      const marked = { start, end, marks: highlight(question, text.slice(start, end)) }
      const asked = page === null || page === pageAt(pages, start) ? null : startOfPage(pages, page)
      if (page !== null && asked !== null) return { window: windowAt(pages, { at: asked }), passage: marked, page }
      const window = windowAt(pages, { near: start })
      const sheet = window.sheets.findLast((one) => one.start <= start)
      return {
        window,
        passage: marked,
        page: sheet?.page.number ?? 1,
      }
    }
  }
  const start = page === null ? null : startOfPage(pages, page)
  const window = windowAt(pages, { at: start ?? at ?? 0 })
  const first = start === null || page === null ? (window.sheets[0]?.page.number ?? 1) : page
  return { window, passage: sent === '' ? null : 'gone', page: first }
}
