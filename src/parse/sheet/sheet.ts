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
