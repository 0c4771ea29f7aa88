import { Flow, writeFlow } from '../blocks/flow.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'
import type { Parser } from '../parser.ts'
import { CellBudget, columnName, type Range, type Row } from '../sheet/sheet.ts'
import { writeNamedSheet } from '../sheet/write-sheet.ts'
import { readOdf } from './open-odf.ts'
import { OdfStyles } from './styles.ts'

const ODS = 'The ODS'

/** Reads an OpenDocument spreadsheet, page by page as an XLSX. */
export const parseOds: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const budget = new CellBudget()
  const styles = new OdfStyles()
  const reader = new OdsReader(styles, budget)
  const title = await readOdf({ file, limits }, ODS, { styles, body: reader })
  for (const [i, sheet] of reader.sheets.entries()) {
    if (i > 0) flow.nextPage()
    writeNamedSheet(sheet, flow)
  }
  const { pageCount } = writeFlow(flow, output)
  return { title, pageCount, warnings: budget.warnings(), facts: { engine: 'odf' } }
}

/** A cell or row is repeated at most this often. Spreadsheets repeat empty ones to the end of the sheet. */
const MAX_REPEATED = 1_000
const MAX_MERGES = 20_000
const NUMBERS = new Set(['float', 'percentage', 'currency'])
const SKIPPED = new Set(['tracked-changes', 'forms', 'object', 'binary-data', 'event-listeners', 'ruby-text', 'creator', 'date'])

interface OdsSheet {
  name: string
  isHidden: boolean
  rows: Row[]
  merges: Range[]
  headerRows: Set<number>
  /** Texts of shapes. */
  texts: string[]
  /** Comments with the addresses of their cells. */
  comments: string[]
}

/** Reads the sheets of an OpenDocument spreadsheet, which has the text of each cell as it is shown. */
class OdsReader implements Required<XmlHandlers> {
  readonly sheets: OdsSheet[] = []
  private readonly styles: OdfStyles
  private readonly budget: CellBudget
  private sheet: OdsSheet | null = null
  private depth = 0
  private skipDepth = 0
  private tables = 0
  private headerRows = 0
  private row: Row = { number: 0, cells: [] }
  private rowRepeat = 1
  private column = 0
  private cell: { repeat: number; isNumber: boolean; text: string; comment: string; shape: string } | null = null
  private comments = 0
  private frames = 0
  private paragraphs = 0
  private shape = ''

  constructor(styles: OdfStyles, budget: CellBudget) {
    this.styles = styles
    this.budget = budget
  }

  open(element: Element): void {
    const { name, attribute } = element
    this.depth++
    if (this.skipDepth > 0) return
    if (SKIPPED.has(name)) this.skipDepth = this.depth
    else if (name === 'table' && this.tables++ === 0) this.beginSheet(element)
    else if (this.sheet === null) return
    else if (name === 'table-header-rows') this.headerRows++
    else if (name === 'table-row' && this.tables === 1) {
      this.row = { number: this.row.number + 1, cells: [] }
      this.rowRepeat = repeat(attribute('number-rows-repeated'))
      this.column = 0
    } else if ((name === 'table-cell' || name === 'covered-table-cell') && this.tables === 1) this.beginCell(element)
    else if (name === 'annotation') this.comments++
    else if (name === 'frame' || name === 'custom-shape') this.frames++
    else if (name === 'p') this.paragraphs++
    else if (name === 's' || name === 'tab' || name === 'line-break') this.add(' ')
  }

  text(text: string): void {
    if (this.skipDepth === 0 && this.paragraphs > 0) this.add(text)
  }

  close(name: string): void {
    const isSkipped = this.skipDepth > 0
    if (this.skipDepth === this.depth) this.skipDepth = 0
    this.depth--
    if (isSkipped || this.sheet === null) return
    if (name === 'p') {
      this.paragraphs--
      this.add(' ')
    } else if (name === 'annotation') this.comments--
    else if (name === 'frame' || name === 'custom-shape') this.endFrame()
    else if ((name === 'table-cell' || name === 'covered-table-cell') && this.tables === 1) this.endCell()
    else if (name === 'table-row' && this.tables === 1) this.endRow()
    else if (name === 'table-header-rows') this.headerRows--
    else if (name === 'table' && --this.tables === 0) this.sheet = null
  }

  private beginSheet({ attribute }: Element): void {
    const isHidden = this.styles.get('table', attribute('style-name'))?.isHidden === true
    const name = attribute('name') ?? ''
    this.sheet = { name, isHidden, rows: [], merges: [], headerRows: new Set(), texts: [], comments: [] }
    this.sheets.push(this.sheet)
    this.row = { number: 0, cells: [] }
  }

  private beginCell({ name, attribute }: Element): void {
    const isNumber = NUMBERS.has(attribute('value-type') ?? '')
    this.cell = { repeat: repeat(attribute('number-columns-repeated')), isNumber, text: '', comment: '', shape: '' }
    const columns = repeat(attribute('number-columns-spanned'))
    const rows = repeat(attribute('number-rows-spanned'))
    if (name === 'covered-table-cell' || columns * rows < 2 || this.sheet!.merges.length >= MAX_MERGES) return
    const { column, row } = this
    this.sheet!.merges.push({
      firstRow: row.number,
      lastRow: row.number + rows - 1,
      firstColumn: column,
      lastColumn: column + columns - 1,
    })
  }

  private add(text: string): void {
    if (this.comments > 0) {
      if (this.cell !== null) this.cell.comment += text
    } else if (this.frames > 0) this.shape += text
    else if (this.cell !== null) this.cell.text += text
  }

  private endFrame(): void {
    if (--this.frames > 0) return
    const text = this.shape.replace(/\s+/g, ' ').trim()
    if (text !== '') this.sheet?.texts.push(text)
    this.shape = ''
  }

  private endCell(): void {
    const { cell, row } = this
    this.cell = null
    if (cell === null) return
    const { repeat: count, isNumber } = cell
    const comment = cell.comment.replace(/\s+/g, ' ').trim()
    if (comment !== '') this.sheet!.comments.push(`${columnName(this.column)}${row.number}: ${comment}`)
    const text = cell.text.trim()
    if (text !== '')
      for (let i = 0; i < Math.min(count, MAX_REPEATED) && this.takeCell(); i++)
        row.cells.push({ column: this.column + i, text, isNumber })
    this.column += count
  }

  private takeCell(): boolean {
    return this.budget.take(this.sheets.length, this.row.number, `sheet "${this.sheet!.name}", `)
  }

  private endRow(): void {
    const { row, rowRepeat } = this
    const { rows, headerRows } = this.sheet!
    if (row.cells.length > 0) {
      rows.push(row)
      if (this.headerRows > 0) headerRows.add(row.number)
      for (let i = 1; i < Math.min(rowRepeat, MAX_REPEATED); i++) {
        const cells = row.cells.filter(() => this.takeCell())
        if (cells.length > 0) rows.push({ number: row.number + i, cells: cells.map((cell) => ({ ...cell })) })
      }
    }
    this.row = { number: row.number + rowRepeat - 1, cells: [] }
  }
}

function repeat(value: string | null): number {
  const count = Math.trunc(Number(value ?? 1))
  return count >= 1 && count <= 1_048_576 ? count : 1
}
