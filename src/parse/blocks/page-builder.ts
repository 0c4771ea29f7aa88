import type { Block, BlockKind, Page } from '../../core/parsed.ts'

// A page's text must hold no form feed (it parts pages), no NUL and no other control character that a terminal or a database
// minds.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFDD0-\uFDEF\uFFFE\uFFFF\uFEFF]/g
// Single spaces are most of a text and stay: replacing each by itself would cost more than all the rest.
const SPACES = /[^\S\n]*[^\S\n ][^\S\n]*| {2,}/g
const AROUND_NEWLINE = / \n ?|\n /g
/**
 * A page made of more pieces than this is no page somebody wrote; the rest of it goes on in its last block, which bounds what
 * a page takes in memory.
 */
export const MAX_BLOCKS = 50_000

/**
 * Text that may stand on a page: well-formed UTF-16 in LF lines, without control characters. Spaces and tabs stay as they
 * are.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROL, '')
    .toWellFormed()
}

/** Clean text with every run of blanks made one space: for formats in which blanks mean nothing. */
export function collapse(text: string): string {
  return cleanText(text).replace(SPACES, ' ').replace(AROUND_NEWLINE, '\n').trim()
}

/** Writes a page block after block, keeping the offsets. */
export class PageBuilder {
  readonly number: number
  private text = ''
  private readonly blocks: Block[] = []

  /** @param number From 1. */
  constructor(number: number) {
    this.number = number
  }

  /** Characters so far, in UTF-16 code units. */
  get length(): number {
    return this.text.length
  }

  /** Adds a block; blank text adds nothing. The text must have been cleaned. */
  add(kind: BlockKind, text: string, extra: Pick<Block, 'level' | 'table' | 'header'> = {}): void {
    if (text.trim() === '') return
    const last = this.blocks.at(-1)
    if (last !== undefined && this.blocks.length >= MAX_BLOCKS) {
      this.text += `\n${text}`
      last.end = this.text.length
      return
    }
    if (last !== undefined) this.text += tight(last, kind, extra) ? '\n' : '\n\n'
    const start = this.text.length
    this.text += text
    this.blocks.push({ kind, start, end: this.text.length, ...extra })
  }

  build(): Page {
    return { number: this.number, text: this.text, blocks: this.blocks }
  }
}

/** Items of a list and rows of a table follow one another without a blank line. */
function tight(last: Block, kind: BlockKind, extra: Pick<Block, 'table'>): boolean {
  if (last.kind !== kind) return false
  return kind === 'list_item' || (kind === 'table_row' && last.table === extra.table)
}
