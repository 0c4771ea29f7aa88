import type { Block, BlockKind, Page } from '../core/parsed.ts'
import { tooMuchText } from './failures.ts'
import { cleanText, collapse, PageBuilder } from './page-builder.ts'

/** Depth of lists and headings a block may carry; deeper is as deep as this. */
const MAX_LEVEL = 6
const CELL_SEPARATOR = ' | '

/**
 * Gathers running text into blocks for formats that are a stream of tags (HTML, WordprocessingML).
 * Within a table every text goes to the open cell, and a row becomes one block; a table within a cell is read as that cell's
 * text.
 */
export class Flow {
  private readonly page = new PageBuilder(1)
  private readonly maxChars: number
  private buffer = ''
  private cells: string[] = []
  private headerCells = 0
  private tableDepth = 0
  private tables = 0
  /** The first heading, for a title. */
  firstHeading: { text: string; level: number } | null = null

  /**
   * @param maxChars More text than this is refused as soon as it is there, for what unpacks a file may not know how much is
   * to come.
   */
  constructor(maxChars: number) {
    this.maxChars = maxChars
  }

  /** Adds running text. Throws `too_much_text`. */
  text(text: string): void {
    this.buffer += text
    if (this.page.length + this.buffer.length > this.maxChars) throw tooMuchText(this.maxChars)
  }

  /** Ends the present block. Within a table cell it only parts words. */
  end(kind: BlockKind, level?: number): void {
    if (this.tableDepth > 0) {
      if (this.buffer !== '' && !this.buffer.endsWith('\n')) this.buffer += '\n'
      return
    }
    const text = kind === 'code' ? cleanText(this.buffer).replace(/^\n+|\s+$/g, '') : collapse(this.buffer)
    this.buffer = ''
    if (kind === 'heading') {
      const heading = { text: text.replace(/\s+/g, ' '), level: clamp(level ?? 1) }
      if (heading.text === '') return
      this.firstHeading ??= heading
      this.page.add('heading', heading.text, { level: heading.level })
    } else {
      this.page.add(kind, text, kind === 'list_item' ? { level: clamp(level ?? 1) } : {})
    }
  }

  openTable(): void {
    if (this.tableDepth++ === 0) {
      this.tables++
      this.cells = []
    }
  }

  closeCell(header: boolean): void {
    if (this.tableDepth !== 1) {
      this.end('paragraph')
      return
    }
    this.cells.push(collapse(this.buffer).replace(/\s+/g, ' '))
    if (header) this.headerCells++
    this.buffer = ''
  }

  /** @param header The row is the header of its table. */
  closeRow(header = false): void {
    if (this.tableDepth !== 1) return
    if (this.buffer.trim() !== '') this.closeCell(false)
    if (this.cells.some((cell) => cell !== '')) {
      const row: Pick<Block, 'table' | 'header'> = { table: this.tables }
      if (header || this.headerCells === this.cells.length) row.header = true
      this.page.add('table_row', this.cells.join(CELL_SEPARATOR), row)
    }
    this.cells = []
    this.headerCells = 0
  }

  closeTable(): void {
    if (this.tableDepth === 0) return
    if (this.tableDepth === 1) this.closeRow()
    this.tableDepth--
  }

  build(): Page {
    while (this.tableDepth > 0) this.closeTable()
    this.end('paragraph')
    return this.page.build()
  }
}

function clamp(level: number): number {
  return Math.min(Math.max(Math.trunc(level), 1), MAX_LEVEL)
}
