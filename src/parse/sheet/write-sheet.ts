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
    if (!isOpen && row.cells.length === 1 && columns.size > 1) flow.addLine(row.cells[0]!.text, row.number)
    else {
      const isFirst = !isOpen
      if (isFirst) flow.openTable()
      isOpen = true
      const continuesHeader =
        header !== undefined && header === previous && (wide.has(header.number) || headerRows.has(row.number))
      const isHeader = headerRows.has(row.number) ? isFirst || continuesHeader : (isFirst || continuesHeader) && isWords(row)
      if (isHeader) header = row
      const isLabel = !isHeader && row.cells.length === 1 && columns.get(row.cells[0]!.column) === 0 && columns.size > 1
      flow.addRow(cellsOf(row, columns), { ...(isHeader && { header: true }), ...(isLabel && { label: true }), row: row.number })
    }
    previous = row
  }
  if (isOpen) flow.closeTable()
}

/** A merged cell over several rows belongs to each of them. */
function repeatLabels(rows: readonly Row[], merges: readonly Range[]): void {
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  // Collected first, because a file can have thousands of merged cells in a row of thousands of cells.
  const labels = new Map<Row, Map<number, Cell>>()
  let left = MAX_REPEATED
  for (const { firstRow, lastRow, firstColumn, lastColumn } of merges) {
    const isLabel = lastRow > firstRow && lastColumn === firstColumn && lastRow - firstRow < MAX_LABELLED_ROWS
    const label = isLabel ? cellAt(byNumber.get(firstRow)?.cells ?? [], firstColumn) : undefined
    if (label === undefined) continue
    for (let number = firstRow + 1; number <= lastRow && left-- > 0; number++) {
      const row = byNumber.get(number)
      if (row === undefined) continue
      const own = labels.get(row) ?? new Map<number, Cell>()
      labels.set(row, own.set(firstColumn, own.get(firstColumn) ?? label))
    }
  }
  for (const [row, own] of labels) {
    for (const { column } of row.cells) own.delete(column)
    for (const label of own.values()) row.cells.push({ ...label })
    row.cells.sort((a, b) => a.column - b.column)
  }
}

/** Returns the cell of a column, by bisection. */
function cellAt(cells: readonly Cell[], column: number): Cell | undefined {
  let [low, high] = [0, cells.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (cells[middle]!.column < column) low = middle + 1
    else high = middle
  }
  return cells[low]?.column === column ? cells[low] : undefined
}

/** The columns of a sheet that have a cell with text, each with its place among them. */
type Columns = ReadonlyMap<number, number>

function usedColumns(rows: readonly Row[]): Columns {
  const columns = new Set<number>()
  for (const { cells } of rows) for (const { column } of cells) columns.add(column)
  return new Map([...columns].sort((a, b) => a - b).map((column, place) => [column, place]))
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
function isTitle({ cells }: Row, columns: Columns): boolean {
  const [first] = cells
  return cells.length === 1 && columns.size > 1 && columns.get(first!.column) === 0 && !first!.isNumber
}

/** True for several short cells without numbers. A year can be the name of a column. */
function isWords({ cells }: Row): boolean {
  return (
    cells.length > 1 && cells.every(({ text, isNumber }) => text.length <= MAX_HEADER_CHARS && (!isNumber || YEAR.test(text)))
  )
}

function cellsOf({ cells }: Row, columns: Columns): string[] {
  const empty = (columns.get(cells.at(-1)?.column ?? 0) ?? 0) + 1 - cells.length
  // Without this, rows with their only cell in the last of many columns would take minutes.
  if (empty > MAX_EMPTY + cells.length * MAX_EMPTY_PER_CELL) return cells.map(({ text }) => text)
  const texts: string[] = []
  for (const { column, text } of cells) {
    const place = columns.get(column) ?? 0
    while (texts.length < place) texts.push('')
    texts.push(text)
  }
  return texts
}

/** A sheet of a workbook. */
interface NamedSheet extends Sheet {
  name: string
  isHidden: boolean
  /** Texts of shapes and charts. */
  texts: readonly string[]
  /** Comments with the addresses of their cells. */
  comments: readonly string[]
}

/** Writes a sheet with its name as the heading, then the texts of its shapes and the comments on its cells. */
export function writeNamedSheet(sheet: NamedSheet, flow: Flow): void {
  const { name, isHidden, rows, texts, comments } = sheet
  // The name alone is no content of an empty sheet.
  if (rows.length + texts.length + comments.length === 0) return
  write(flow, 'heading', `${name}${isHidden ? ' (hidden)' : ''}`, 1)
  writeSheet(sheet, flow)
  for (const text of texts) write(flow, 'paragraph', text)
  if (comments.length > 0) write(flow, 'heading', 'Comments', 2)
  for (const comment of comments) write(flow, 'paragraph', comment)
}

function write(flow: Flow, kind: 'heading' | 'paragraph', text: string, level?: number): void {
  flow.text(text)
  flow.end(kind, level)
}
