import type { Block, BlockKind, Page } from '../../core/parsed.ts'
import { tooManyPages, tooMuchText } from '../failures.ts'
import type { ParserOutput } from '../parser.ts'
import { cleanText, collapse, PageBuilder } from './page-builder.ts'

/** Deeper lists and headings get this level. */
const MAX_LEVEL = 6
const CELL_SEPARATOR = ' | '

// Marks of new pages within running text. They are noncharacters, which no text may hold.
/** A page break that the author set. */
export const PAGE_BREAK = '\uFDD0'
/** A place where the program that wrote the file broke the page. It also follows a PAGE_BREAK, and then means the same break. */
export const PAGE_RENDERED = '\uFDD1'
/** A paragraph that must be at the top of a page. It breaks the page unless the page has just begun. */
export const PAGE_TOP = '\uFDD2'
const MARKS = /([\uFDD0-\uFDD2])/

/**
 * Collects running text into blocks, for formats that are a stream of tags (HTML, WordprocessingML). Marks of the
 * reader in the text divide the blocks into pages.
 *
 * Within a table, text goes to the open cell, and each row becomes one block. A table within a cell becomes text of that cell.
 */
export class Flow {
  private page = new PageBuilder(1)
  private readonly pages: Page[] = []
  private readonly max: { chars: number; pages: number }
  /** False if the reader sets no marks. The text of a file can contain the same characters, which then mean nothing. */
  private readonly hasMarks: boolean
  /** Characters on the finished pages. */
  private finishedChars = 0
  /** No text came after the last page break, so a PAGE_RENDERED means the same break. */
  private hasJustBroken = false
  private buffer = ''
  /** The buffer ends with a line break. Asking the buffer itself would copy all of it after each line. */
  private isAtLineStart = false
  private cells: string[] = []
  private headerCells = 0
  /** Where a page break in the open row goes: in front of the row, if the row has no text before it, or behind the row. */
  private rowBreak: 'none' | 'before' | 'after' = 'none'
  private tableDepth = 0
  private tables = 0
  /** The open table has no row yet. Tables without rows have no number. */
  private isNewTable = false
  private announced: { text: string; level: number } | null = null
  /** Marks each block that ends from now on as a quote of another message. */
  isQuoted = false
  /** The first heading, which can be the title. */
  firstHeading: { text: string; level: number } | null = null

  /**
   * @param max Limits, checked with each text and page because the size of an unpacked file is not known beforehand.
   * @param options `hasMarks`: the reader put the marks into the text, so they divide it into pages.
   */
  constructor(max: { chars: number; pages: number }, { hasMarks = false } = {}) {
    this.max = max
    this.hasMarks = hasMarks
  }

  /** Adds running text. Throws `too_much_text`. */
  text(text: string): void {
    if (text !== '') this.isAtLineStart = text.endsWith('\n')
    this.buffer += text
    if (this.finishedChars + this.page.length + this.buffer.length > this.max.chars) throw tooMuchText(this.max.chars)
  }

  /** Ends the open block. Returns whether it had text. Within a table cell this only ends the line. Throws `too_many_pages`. */
  end(kind: BlockKind, level?: number): boolean {
    if (this.tableDepth === 0) return this.addBuffer(kind, level)
    this.newLine()
    return false
  }

  /** Ends a line within the open block. */
  newLine(): void {
    if (this.buffer === '' || this.isAtLineStart) return
    this.buffer += '\n'
    this.isAtLineStart = true
  }

  private addBuffer(kind: BlockKind, level?: number): boolean {
    const buffer = this.buffer
    this.buffer = ''
    let added = false
    for (const part of this.hasMarks ? buffer.split(MARKS) : [buffer]) {
      if (this.hasMarks && MARKS.test(part)) this.turnPage(part)
      else if (part !== '') added = this.add(kind, part, level) || added
    }
    return added
  }

  /** Adds a heading in front of the next block of this page, if one comes. */
  announce(text: string, level: number): void {
    this.announced = { text, level }
  }

  private add(kind: BlockKind, raw: string, level: number | undefined): boolean {
    const text = kind === 'code' ? cleanText(raw).replace(/^\n+/, '').trimEnd() : collapse(raw)
    if (text === '') return false
    const { announced } = this
    this.announced = null
    if (announced !== null) this.add('heading', announced.text, announced.level)
    this.hasJustBroken = false
    if (kind === 'heading') {
      const heading = { text: text.replace(/\s+/g, ' '), level: clamp(level ?? 1) }
      this.firstHeading ??= heading
      this.page.add('heading', heading.text, { level: heading.level, ...this.mark })
    } else {
      this.page.add(kind, text, { ...(kind === 'list_item' && { level: clamp(level ?? 1) }), ...this.mark })
    }
    return true
  }

  private get mark(): Pick<Block, 'quoted'> {
    return this.isQuoted ? { quoted: true } : {}
  }

  private turnPage(mark: string): void {
    const isRepeated = mark === PAGE_RENDERED && this.hasJustBroken
    this.hasJustBroken = mark !== PAGE_RENDERED
    if (isRepeated || (mark === PAGE_TOP && this.page.length === 0)) return
    this.announced = null
    this.finishedChars += this.page.length
    this.pages.push(this.page.build())
    const number = this.pages.length + 1
    if (number > this.max.pages) throw tooManyPages(number, this.max.pages)
    this.page = new PageBuilder(number)
  }

  /** Begins a new page, for formats whose pages are parts of the file. Throws `too_many_pages`. */
  nextPage(): void {
    this.end('paragraph')
    this.turnPage(PAGE_BREAK)
  }

  openTable(): void {
    if (this.tableDepth++ === 0) {
      this.isNewTable = true
      this.cells = []
    }
  }

  /** Makes the text in front of the first cell of a table a separate block. */
  endCaption(): void {
    if (this.tableDepth === 1 && this.cells.length === 0) this.addBuffer('paragraph')
    else this.end('paragraph')
  }

  closeCell(isHeader: boolean): void {
    if (this.tableDepth !== 1) {
      this.end('paragraph')
      return
    }
    const before = this.hasMarks ? (this.buffer.split(MARKS, 1)[0] ?? '') : this.buffer
    // Every cell of a row that continues on the next page has a mark. The first mark decides.
    if (before !== this.buffer && this.rowBreak === 'none')
      this.rowBreak = [...this.cells, before].join('').trim() === '' ? 'before' : 'after'
    this.cells.push(collapse(this.buffer).replace(/\s+/g, ' '))
    if (isHeader) this.headerCells++
    this.buffer = ''
  }

  /** @param isHeader The row is the header of its table. */
  closeRow(isHeader = false): void {
    if (this.tableDepth !== 1) return
    if (this.buffer.trim() !== '') this.closeCell(false)
    if (this.rowBreak === 'before') this.turnPage(PAGE_RENDERED)
    if (this.cells.some((cell) => cell !== '')) {
      const row: Omit<Block, 'kind' | 'start' | 'end'> = { table: this.tableNumber(), ...this.mark }
      if (isHeader || this.headerCells === this.cells.length) row.header = true
      else if (this.cells.length > 1 && this.cells.findLastIndex((cell) => cell !== '') === 0) row.label = true
      this.page.add('table_row', this.cells.join(CELL_SEPARATOR), row)
      this.hasJustBroken = false
    }
    if (this.rowBreak === 'after') this.turnPage(PAGE_RENDERED)
    this.dropRow()
  }

  /** Adds a row of the open table whose cells are known, for spreadsheets. Throws `too_much_text`. */
  addRow(cells: readonly string[], row: Pick<Block, 'header' | 'label' | 'row'>): void {
    const texts: string[] = []
    let chars = this.finishedChars + this.page.length
    for (const cell of cells) {
      const text = collapse(cell).replace(/\s+/g, ' ')
      chars += text.length
      // Counted cell by cell, because a spreadsheet can repeat a long cell a thousand times in a row.
      if (chars > this.max.chars) throw tooMuchText(this.max.chars)
      texts.push(text)
    }
    this.addKnown('table_row', texts.join(CELL_SEPARATOR), { table: this.tableNumber(), ...row })
  }

  /** Adds a paragraph that is a row of a spreadsheet. Throws `too_much_text`. */
  addLine(text: string, row: number): void {
    this.addKnown('paragraph', collapse(text), { row })
  }

  private addKnown(kind: BlockKind, text: string, extra: Pick<Block, 'table' | 'header' | 'label' | 'row'>): void {
    if (this.finishedChars + this.page.length + text.length > this.max.chars) throw tooMuchText(this.max.chars)
    this.page.add(kind, text, extra)
    this.hasJustBroken = false
  }

  private tableNumber(): number {
    if (this.isNewTable) this.tables++
    this.isNewTable = false
    return this.tables
  }

  /** Discards the open row, which is not part of the document. */
  dropRow(): void {
    if (this.tableDepth !== 1) return
    this.buffer = ''
    this.cells = []
    this.headerCells = 0
    this.rowBreak = 'none'
  }

  closeTable(): void {
    if (this.tableDepth === 0) return
    if (this.tableDepth === 1) this.closeRow()
    this.tableDepth--
  }

  /** Returns the pages, at least one. */
  build(): Page[] {
    while (this.tableDepth > 0) this.closeTable()
    this.end('paragraph')
    return [...this.pages, this.page.build()]
  }
}

function clamp(level: number): number {
  return Math.min(Math.max(Math.trunc(level), 1), MAX_LEVEL)
}

/** Writes the pages of a flow to the output and returns what the summary needs of them. */
export function writeFlow(flow: Flow, output: ParserOutput): { pageCount: number; firstHeading: Flow['firstHeading'] } {
  const pages = flow.build()
  output.open(pages.length)
  for (const page of pages) output.page(page)
  return { pageCount: pages.length, firstHeading: flow.firstHeading }
}
