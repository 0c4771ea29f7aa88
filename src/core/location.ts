import { capitalized } from './capitalized.ts'
import { countOf } from './count-of.ts'
import { type Counted, formatOf } from './formats.ts'
import { shorten } from './text-limits.ts'

/** One page of a document in each unit. Texts and tables without pages have one page, or several with form feeds between them. */
const WORDS: Record<Counted, string> = {
  pages: 'page',
  slides: 'slide',
  sheets: 'sheet',
  chapters: 'chapter',
  messages: 'message',
  rows: 'page',
  lines: 'page',
}

/** Where a passage is in its document. */
export interface Place {
  mediaType: string
  pageStart: number
  pageEnd: number
  /** The name of the first page, for a sheet. */
  pageName?: string | null
  /** The header of the message on the first page. */
  message?: { from: string; sentAt: Date | null } | null
  /** The first and the last row of a table. */
  rows?: readonly [first: number, last: number] | null
  /** The line where it begins. Null if nobody counted the lines. */
  line?: number | null
  /** The line where it ends, for source code. */
  lastLine?: number | null
}

/** Returns what a page of the format is called: `page`, `slide`, `sheet` or `chapter`. */
export function pageWord(mediaType: string): string {
  return WORDS[formatOf(mediaType)?.countedIn ?? 'pages']
}

/** Returns what the pages of the format are, for `facts.pages_are`. */
export function pagesAre(mediaType: string): string {
  return `${pageWord(mediaType)}s`
}

/** Returns how long a document is: `12 pages`, `30 sheets`. Null for a text or table without pages. */
export function lengthOf(mediaType: string, pages: number): string | null {
  const counted = formatOf(mediaType)?.countedIn
  return pages === 1 && (counted === 'lines' || counted === 'rows') ? null : countOf(pages, pageWord(mediaType))
}

/** Returns the name of a page as a heading: `Page 3`, `Slide 7`. A sheet has its own name as the first heading of its text. */
export function pageTitle(mediaType: string, page: number): string {
  return capitalized(`${pageWord(mediaType)} ${page}`)
}

/**
 * Returns where a passage is, in the terms of its format: `page 3`, `slide 7`, `sheet "Costs", rows 12–31`, `line 40`, `lines 40–62`,
 * `message of 3 May 2024 from Ada Lovelace`. Null for a format without pages if nobody counted the lines.
 */
export function formatLocation({ mediaType, pageStart, pageEnd, pageName, message, rows, line, lastLine }: Place): string | null {
  const counted = formatOf(mediaType)?.countedIn ?? 'pages'
  const rowsText = rows == null ? null : range('row', ...rows)
  if (counted === 'sheets' && pageStart === pageEnd) {
    const sheet = pageName == null ? `sheet ${pageStart}` : `sheet "${pageName}"`
    return rowsText === null ? sheet : `${sheet}, ${rowsText}`
  }
  if (counted === 'messages' && pageStart === pageEnd && message != null) return messageText(message, pageStart)
  if (counted === 'rows' && rowsText !== null) return rowsText
  if (counted === 'lines' && line != null) return range('line', line, lastLine ?? line)
  if ((counted === 'lines' || counted === 'rows') && pageEnd === 1) return null
  return range(WORDS[counted], pageStart, pageEnd)
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A header can name any number of people. */
const MAX_NAME_CHARS = 100

function messageText({ from, sentAt }: NonNullable<Place['message']>, page: number): string {
  // The name without the address, if there is one.
  const name = shorten(/^(.+?)\s*<[^<>]*>/.exec(from)?.[1] ?? from, MAX_NAME_CHARS)
  if (sentAt === null && name === '') return `message ${page}`
  return ['message', sentAt && `of ${DAY.format(sentAt)}`, name && `from ${name}`].filter(Boolean).join(' ')
}

function range(word: string, first: number, last: number): string {
  return first === last ? `${word} ${first}` : `${word}s ${first}–${last}`
}
