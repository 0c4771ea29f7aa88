import type { DocumentWarning } from '../../core/model.ts'

/** A cell with text. */
export interface Cell {
  /** From 0. */
  column: number
  /** As the spreadsheet shows it. */
  text: string
  isNumber: boolean
}

export interface Row {
  /** From 1, as in the spreadsheet. */
  number: number
  /** In the order of their columns. */
  cells: Cell[]
}

/** A rectangle of cells. Columns count from 0, rows from 1. */
export interface Range {
  firstRow: number
  lastRow: number
  firstColumn: number
  lastColumn: number
}

export interface Sheet {
  /** Rows that have a cell with text. */
  rows: Row[]
  /** Cells that are merged into one. */
  merges: Range[]
  /** Rows that the file marks as headers: of a table, a filter, or an area that doesn't scroll. */
  headerRows: ReadonlySet<number>
}

const MAX_COLUMNS = 16_384
const MAX_ROWS = 1_048_576

/** Returns the range of `A1:C3` or `B2`; null for any other text. */
export function parseRange(text: string): Range | null {
  const [first, last = first] = text.split(':').map(parseAddress)
  if (first == null || last == null) return null
  return { firstRow: first.row, lastRow: last.row, firstColumn: first.column, lastColumn: last.column }
}

/** Returns the letters of a column: `A` for 0, `AA` for 26. */
export function columnName(column: number): string {
  let name = ''
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}

/** Returns the place of a cell such as `B12`; null for any other text. */
export function parseAddress(text: string): { column: number; row: number } | null {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(text) ?? []
  if (letters === undefined) return null
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  const row = Number(digits)
  return column > MAX_COLUMNS || row > MAX_ROWS || row < 1 ? null : { column: column - 1, row }
}

/** A document of one million short cells has 20 MB of text. */
const MAX_CELLS = 500_000

/** Counts the cells of a document. What comes after the limit is not read, and a warning says where that begins. */
export class CellBudget {
  private left: number
  private readonly max: number
  private cut: { limit: string; page: number; row: number; where: string } | null = null

  constructor(max = MAX_CELLS) {
    this.max = max
    this.left = max
  }

  get isSpent(): boolean {
    return this.left <= 0
  }

  /** Takes one cell. Returns false if none is left. */
  take(page: number, row: number, where: string): boolean {
    if (this.left > 0) {
      this.left--
      return true
    }
    this.cut ??= { limit: `${this.max.toLocaleString('en')} cells`, page, row, where }
    return false
  }

  /** Warns that rows from this one on are not read. `limit` is the exceeded limit: `20 MB of text`. */
  stop(limit: string, page: number, row: number): void {
    this.cut ??= { limit, page, row, where: '' }
  }

  warnings(): DocumentWarning[] {
    if (this.cut === null) return []
    const { limit, page, row, where } = this.cut
    const message = `The document has more than ${limit}, the limit. Rows from ${where}row ${row} on are not searchable. Split it into several files.`
    return [{ code: 'cells_skipped', message, page }]
  }
}
