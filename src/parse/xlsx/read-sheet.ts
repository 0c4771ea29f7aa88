import type { Package } from '../package/package.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'
import { type CellBudget, parseAddress, parseRange, type Range, type Row, type Sheet } from '../sheet/sheet.ts'
import { formatNumber } from './format-number.ts'
import { StringText, type CellFormat } from './shared-parts.ts'

/** More merged cells than any table has. */
const MAX_MERGES = 20_000
/** A larger area that doesn't scroll is no header. */
const MAX_FROZEN_ROWS = 20
/** Between the first day of 1900 and that of 1904, from which some workbooks count. */
const DAYS_TO_1904 = 1_462

/** What the sheets of a workbook share. */
export interface Workbook {
  strings: readonly string[]
  formats: readonly CellFormat[]
  isFrom1904: boolean
}

interface OpenCell {
  column: number
  type: string
  style: number
  value: string
}

/** Reads the cells of a sheet as they are shown. Of a formula it takes the result that the file has. */
export class SheetReader implements Required<XmlHandlers> {
  private readonly rows: Row[] = []
  private readonly merges: Range[] = []
  private readonly headerRows = new Set<number>()
  private readonly workbook: Workbook
  private readonly takeCell: (row: number) => boolean
  private readonly inline = new StringText()
  private row: Row = { number: 0, cells: [] }
  private cell: OpenCell | null = null
  private nextColumn = 0
  private isInValue = false

  /** @param takeCell Called for each cell with text. Returns false to stop reading. */
  constructor(workbook: Workbook, takeCell: (row: number) => boolean) {
    this.workbook = workbook
    this.takeCell = takeCell
  }

  open(element: Element): void {
    const { name, attribute } = element
    if (this.cell !== null) {
      this.isInValue = name === 'v'
      this.inline.open(element)
    } else if (name === 'row') {
      const number = Number(attribute('r') ?? this.row.number + 1)
      this.row = { number: Number.isInteger(number) && number > 0 ? number : this.row.number + 1, cells: [] }
      this.nextColumn = 0
    } else if (name === 'c') {
      const column = parseAddress(attribute('r') ?? '')?.column ?? this.nextColumn
      this.nextColumn = column + 1
      this.cell = { column, type: attribute('t') ?? 'n', style: Number(attribute('s') ?? 0), value: '' }
    } else if (name === 'mergeCell' && this.merges.length < MAX_MERGES) {
      const range = parseRange(attribute('ref') ?? '')
      if (range !== null) this.merges.push(range)
    } else if (name === 'autoFilter') this.addHeader(attribute('ref'))
    else if (name === 'pane' && (attribute('state') ?? '').startsWith('frozen')) this.freeze(Number(attribute('ySplit') ?? 0))
  }

  text(text: string): void {
    if (this.cell === null) return
    if (this.isInValue) this.cell.value += text
    else this.inline.text(text)
  }

  close(name: string): void {
    if (name === 'c') this.endCell()
    else if (name === 'v') this.isInValue = false
    else if (name === 'row' && this.row.cells.length > 0) this.rows.push(this.row)
    else this.inline.close(name)
  }

  /** @param ref The area of a table, whose first row is its header. */
  addHeader(ref: string | null): void {
    const range = parseRange(ref ?? '')
    if (range !== null) this.headerRows.add(range.firstRow)
  }

  result(): Sheet {
    // A hostile file can have its rows in any order.
    const rows = this.rows.sort((a, b) => a.number - b.number)
    for (const { cells } of rows) cells.sort((a, b) => a.column - b.column)
    return { rows, merges: this.merges, headerRows: this.headerRows }
  }

  /** The last of the frozen rows with several cells is the header. Those above it are titles. */
  private freeze(count: number): void {
    if (count > 0 && count <= MAX_FROZEN_ROWS) this.headerRows.add(count)
  }

  private endCell(): void {
    const cell = this.cell
    this.cell = null
    this.isInValue = false
    const inline = this.inline.take()
    if (cell === null) return
    const text = this.textOf(cell, inline)
    if (text.trim() === '' || !this.takeCell(this.row.number)) return
    this.row.cells.push({ column: cell.column, text, isNumber: cell.type === 'n' })
  }

  private textOf({ type, value, style }: OpenCell, inline: string): string {
    if (type === 's') return this.workbook.strings[Number(value)] ?? ''
    if (type === 'inlineStr') return inline === '' ? value : inline
    if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE'
    if (type === 'n' && value.trim() !== '') return this.numberText(Number(value), style, value)
    return value
  }

  private numberText(value: number, style: number, raw: string): string {
    if (!Number.isFinite(value)) return raw
    const format = this.workbook.formats[style]
    if (format === undefined) return formatNumber(value, 'General')
    return formatNumber(format.isDate && this.workbook.isFrom1904 ? value + DAYS_TO_1904 : value, format.code)
  }
}

/** Reads one sheet of a workbook. */
export async function readSheet(
  parts: Package,
  { part, tables }: { part: string; tables: readonly string[] },
  workbook: Workbook,
  { budget, page, name }: { budget: CellBudget; page: number; name: string },
): Promise<Sheet> {
  const reader = new SheetReader(workbook, (row) => budget.take(page, row, `sheet "${name}", `))
  await parts.readXml(part, reader)
  for (const table of tables) {
    await parts.readOptionalXml(table, {
      open({ name: element, attribute }) {
        if (element === 'table' && attribute('headerRowCount') !== '0') reader.addHeader(attribute('ref'))
      },
    })
  }
  return reader.result()
}
