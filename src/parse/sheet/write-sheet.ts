import type { Flow } from '../blocks/flow.ts'
import type { Cell, Range, Row, Sheet } from './sheet.ts'

/** A cell with more characters is text and no column header. */
const MAX_HEADER_CHARS = 120
/** A merged cell that reaches over more rows is a frame and no label of rows. */
const MAX_LABELLED_ROWS = 500
/** Rows that labels are repeated in, for a file with merged cells everywhere. */
const MAX_REPEATED = 100_000
/** A row with more empty cells than these between the others doesn't keep its columns. */
const MAX_EMPTY = 30
const MAX_EMPTY_PER_CELL = 3
const YEAR = /^(?:19|20)\d\d$/

/**
 * Writes a sheet as tables. Lines of one cell above a table are its caption. A row of words at the beginning of a table is its
 * header, which every passage of the table gets as context.
 */
export function writeSheet({ rows, merges, headerRows }: Sheet, flow: Flow): void {
  repeatLabels(rows, merges)
  const columns = usedColumns(rows)
  const wide = wideRows(merges)
  let isOpen = false
  let previous: Row | undefined
  let header: Row | undefined
  for (const [i, row] of rows.entries()) {
    const isApart = previous === undefined || row.number - previous.number > 1
    const isMarked = headerRows.has(row.number) && row.cells.length > 1 && !headerRows.has(previous?.number ?? 0)
    const begins = isMarked || (isApart && isOpen && beginsTable(row, rows[i + 1]))
    if (isOpen && (begins || (isApart && isTitle(row, columns)))) {
      flow.closeTable()
      isOpen = false
      header = undefined
    }
    if (!isOpen && row.cells.length === 1 && columns.length > 1) flow.addLine(row.cells[0]!.text, row.number)
    else {
      const isFirst = !isOpen
      if (isFirst) flow.openTable()
      isOpen = true
      const continuesHeader =
        header !== undefined && header === previous && (wide.has(header.number) || headerRows.has(row.number))
      const isHeader = headerRows.has(row.number) ? isFirst || continuesHeader : (isFirst || continuesHeader) && isWords(row)
      if (isHeader) header = row
      const isLabel = !isHeader && row.cells.length === 1 && row.cells[0]!.column === columns[0] && columns.length > 1
      flow.addRow(cellsOf(row, columns), { ...(isHeader && { header: true }), ...(isLabel && { label: true }), row: row.number })
    }
    previous = row
  }
  if (isOpen) flow.closeTable()
}

/** A merged cell over several rows belongs to each of them. */
function repeatLabels(rows: readonly Row[], merges: readonly Range[]): void {
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  let left = MAX_REPEATED
  for (const { firstRow, lastRow, firstColumn, lastColumn } of merges) {
    const label = byNumber.get(firstRow)?.cells.find(({ column }) => column === firstColumn)
    const isLabel = lastRow > firstRow && lastColumn === firstColumn && lastRow - firstRow < MAX_LABELLED_ROWS
    if (label === undefined || !isLabel) continue
    for (let number = firstRow + 1; number <= lastRow && left-- > 0; number++) {
      const row = byNumber.get(number)
      if (row === undefined || row.cells.some(({ column }) => column === firstColumn)) continue
      row.cells.push({ ...label })
      row.cells.sort((a, b) => a.column - b.column)
    }
  }
}

function usedColumns(rows: readonly Row[]): number[] {
  const columns = new Set<number>()
  for (const { cells } of rows) for (const { column } of cells) columns.add(column)
  return [...columns].sort((a, b) => a - b)
}

/** Returns the numbers of rows with a cell over several columns. In a header, the next row then names these columns. */
function wideRows(merges: readonly Range[]): Set<number> {
  return new Set(merges.filter((range) => range.lastColumn > range.firstColumn).map(({ firstRow }) => firstRow))
}

/** After an empty row, a row of words above a row with numbers begins another table. */
function beginsTable(row: Row, next: Row | undefined): boolean {
  return isWords(row) && next !== undefined && next.number === row.number + 1 && next.cells.some(({ isNumber }) => isNumber)
}

/** True for a line of words at the left. After an empty row, it announces something else. */
function isTitle({ cells }: Row, columns: readonly number[]): boolean {
  const [first] = cells
  return cells.length === 1 && columns.length > 1 && first!.column === columns[0] && !first!.isNumber
}

/** True for several short cells without numbers. A year can be the name of a column. */
function isWords({ cells }: Row): boolean {
  return (
    cells.length > 1 && cells.every(({ text, isNumber }) => text.length <= MAX_HEADER_CHARS && (!isNumber || YEAR.test(text)))
  )
}

function cellsOf({ cells }: Row, columns: readonly number[]): string[] {
  const texts: string[] = []
  let at = 0
  for (const cell of cells) {
    while (at < columns.length && columns[at]! < cell.column) {
      texts.push('')
      at++
    }
    texts.push(cell.text)
    at++
  }
  const empty = texts.length - cells.length
  return empty > MAX_EMPTY + cells.length * MAX_EMPTY_PER_CELL ? cells.map(({ text }: Cell) => text) : texts
}
