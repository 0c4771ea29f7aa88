import type { Block, BlockKind, Page } from '../../core/parsed.ts'
import { MAX_TITLE_CHARS, shorten } from '../../core/text-limits.ts'

// A page's text has no form feed, because form feeds separate pages. It has no NUL and no other control character that could
// disturb a terminal or a database.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFDD0-\uFDEF\uFFFE\uFFFF\uFEFF]/g
// Does not match single spaces. Replacing each of them by itself would cost more than everything else here.
const SPACES = /[^\S\n]*[^\S\n ][^\S\n]*| {2,}/g
const AROUND_NEWLINE = / \n ?|\n /g
/**
 * Further text of a page goes into its last block. This limits the memory of a page. No page that was written for readers has so
 * many blocks.
 */
export const MAX_BLOCKS = 50_000
/** Rows of a spreadsheet stay separate blocks up to this higher number, because results name row numbers. */
const MAX_NUMBERED_ROWS = 200_000

/** Makes text fit for a page: well-formed UTF-16 with LF line ends and no control characters. Spaces and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROL, '')
    .toWellFormed()
}

/** Cleans text and turns every run of blanks into one space, for formats in which blanks mean nothing. */
export function collapse(text: string): string {
  return cleanText(text).replace(SPACES, ' ').replace(AROUND_NEWLINE, '\n').trim()
}

/** Builds a page block by block and keeps the offsets. */
export class PageBuilder {
  readonly number: number
  private text = ''
  private readonly blocks: Block[] = []

  /** @param number From 1. */
  constructor(number: number) {
    this.number = number
  }

  /** Length of the text so far, in UTF-16 code units. */
  get length(): number {
    return this.text.length
  }

  /** Adds a block of clean text. Ignores blank text. */
  add(kind: BlockKind, text: string, extra: Omit<Block, 'kind' | 'start' | 'end'> = {}): void {
    if (text.trim() === '') return
    const last = this.blocks.at(-1)
    if (last !== undefined && this.blocks.length >= (extra.row === undefined ? MAX_BLOCKS : MAX_NUMBERED_ROWS)) {
      this.text += `\n${text}`
      last.end = this.text.length
      return
    }
    if (last !== undefined) this.text += isTight(last, kind, extra) ? '\n' : '\n\n'
    const start = this.text.length
    this.text += text
    this.blocks.push({ kind, start, end: this.text.length, ...extra })
  }

  build(): Page {
    return { number: this.number, text: this.text, blocks: this.blocks }
  }
}

/** True between items of a list and rows of a table, which have no blank line between them. */
function isTight(last: Block, kind: BlockKind, extra: Pick<Block, 'table'>): boolean {
  if (last.kind !== kind) return false
  return kind === 'list_item' || (kind === 'table_row' && last.table === extra.table)
}

/** Returns a title as one line of clean text with at most `MAX_TITLE_CHARS`; null for a blank title. */
export function cleanTitle(text: string | null): string | null {
  return shorten(collapse(text ?? '').replace(/\s+/g, ' '), MAX_TITLE_CHARS) || null
}
