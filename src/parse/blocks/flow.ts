import type { Block, BlockKind, Page } from '../../core/parsed.ts'
import { tooManyPages, tooMuchText } from '../failures.ts'
import { cleanText, collapse, PageBuilder } from './page-builder.ts'

/** Depth of lists and headings a block may carry; deeper is as deep as this. */
const MAX_LEVEL = 6
const CELL_SEPARATOR = ' | '

/** Marks within running text, characters that no text may hold: a new page … */
export const PAGE_BREAK = '\uFDD0'
/** … one that the program which wrote the file came to, and says again after a PAGE_BREAK … */
export const PAGE_RENDERED = '\uFDD1'
/** … and one unless the page has just begun. */
export const PAGE_TOP = '\uFDD2'
const MARKS = /([\uFDD0-\uFDD2])/

/**
 * Gathers running text into blocks for formats that are a stream of tags (HTML, WordprocessingML), and the blocks into pages
 * where the text has marks of these.
 * Within a table every text goes to the open cell, and a row becomes one block; a table within a cell is read as that cell's
 * text.
 */
export class Flow {
  private page = new PageBuilder(1)
  private readonly pages: Page[] = []
  private readonly max: { chars: number; pages: number }
  /** Characters on the pages before. */
  private chars = 0
  /** A PAGE_BREAK was the last there was, so that a PAGE_RENDERED means the same one. */
  private broken = false
  private buffer = ''
  private cells: string[] = []
  private headerCells = 0
  private rowBreaks: 'not' | 'before' | 'after' = 'not'
  private tableDepth = 0
  private tables = 0
  /** The first heading, for a title. */
  firstHeading: { text: string; level: number } | null = null

  /**
   * @param max More text or pages than this are refused as soon as they are there, for what unpacks a file may not know how
   * much is to come.
   */
  constructor(max: { chars: number; pages: number }) {
    this.max = max
  }

  /** Adds running text. Throws `too_much_text`. */
  text(text: string): void {
    this.buffer += text
    if (this.chars + this.page.length + this.buffer.length > this.max.chars) throw tooMuchText(this.max.chars)
  }

  /**
   * Ends the present block; true where it had text. Within a table cell it only parts words. Throws `too_many_pages`.
   */
  end(kind: BlockKind, level?: number): boolean {
    if (this.tableDepth === 0) return this.addBuffer(kind, level)
    this.newLine()
    return false
  }

  /** Ends a line within the present block. */
  newLine(): void {
    if (this.buffer !== '' && !this.buffer.endsWith('\n')) this.buffer += '\n'
  }

  private addBuffer(kind: BlockKind, level?: number): boolean {
    const buffer = this.buffer
    this.buffer = ''
    let added = false
    for (const part of buffer.split(MARKS)) {
      if (MARKS.test(part)) this.turnPage(part)
      else if (part !== '') added = this.add(kind, part, level) || added
    }
    return added
  }

  private add(kind: BlockKind, raw: string, level: number | undefined): boolean {
    const text = kind === 'code' ? cleanText(raw).replace(/^\n+|\s+$/g, '') : collapse(raw)
    if (text === '') return false
    this.broken = false
    if (kind === 'heading') {
      const heading = { text: text.replace(/\s+/g, ' '), level: clamp(level ?? 1) }
      this.firstHeading ??= heading
      this.page.add('heading', heading.text, { level: heading.level })
    } else {
      this.page.add(kind, text, kind === 'list_item' ? { level: clamp(level ?? 1) } : {})
    }
    return true
  }

  private turnPage(mark: string): void {
    const again = mark === PAGE_RENDERED && this.broken
    this.broken = mark !== PAGE_RENDERED
    if (again || (mark === PAGE_TOP && this.page.length === 0)) return
    this.chars += this.page.length
    this.pages.push(this.page.build())
    const number = this.pages.length + 1
    if (number > this.max.pages) throw tooManyPages(number, this.max.pages)
    this.page = new PageBuilder(number)
  }

  openTable(): void {
    if (this.tableDepth++ === 0) {
      this.tables++
      this.cells = []
    }
  }

  /** What stands in a table before its first cell is a block of its own. */
  endCaption(): void {
    if (this.tableDepth === 1 && this.cells.length === 0) this.addBuffer('paragraph')
    else this.end('paragraph')
  }

  closeCell(header: boolean): void {
    if (this.tableDepth !== 1) {
      this.end('paragraph')
      return
    }
    const before = this.buffer.split(MARKS, 1)[0] ?? ''
    // Each cell of a row that goes on overleaf says so.
    if (before !== this.buffer && this.rowBreaks === 'not')
      this.rowBreaks = [...this.cells, before].join('').trim() === '' ? 'before' : 'after'
    this.cells.push(collapse(this.buffer).replace(/\s+/g, ' '))
    if (header) this.headerCells++
    this.buffer = ''
  }

  /** @param header The row is the header of its table. */
  closeRow(header = false): void {
    if (this.tableDepth !== 1) return
    if (this.buffer.trim() !== '') this.closeCell(false)
    if (this.rowBreaks === 'before') this.turnPage(PAGE_RENDERED)
    if (this.cells.some((cell) => cell !== '')) {
      const row: Pick<Block, 'table' | 'header'> = { table: this.tables }
      if (header || this.headerCells === this.cells.length) row.header = true
      this.page.add('table_row', this.cells.join(CELL_SEPARATOR), row)
      this.broken = false
    }
    if (this.rowBreaks === 'after') this.turnPage(PAGE_RENDERED)
    this.dropRow()
  }

  /** What stands in the open row is not part of the document. */
  dropRow(): void {
    if (this.tableDepth !== 1) return
    this.buffer = ''
    this.cells = []
    this.headerCells = 0
    this.rowBreaks = 'not'
  }

  closeTable(): void {
    if (this.tableDepth === 0) return
    if (this.tableDepth === 1) this.closeRow()
    this.tableDepth--
  }

  /** At least one page. */
  build(): Page[] {
    while (this.tableDepth > 0) this.closeTable()
    this.end('paragraph')
    return [...this.pages, this.page.build()]
  }
}

function clamp(level: number): number {
  return Math.min(Math.max(Math.trunc(level), 1), MAX_LEVEL)
}
