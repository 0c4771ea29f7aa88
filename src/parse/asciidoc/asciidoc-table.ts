const MAX_COLUMNS = 1_000
/** Cells that an empty table can have because a cell repeats or spans columns. */
const MAX_REPEATED = 1_000
/** What can stand before the bar of a cell: how often it repeats, how many columns and rows it spans, alignment and style. */
const CELL = /(?<=^|\s)(?:(\d{1,4})\*|(?:(\d{1,4})?(?:\.(\d{1,4}))?)\+)?([<^>]?(?:\.[<^>])?[a-z]?)$/

export interface Table {
  rows: string[][]
  hasHeader: boolean
}

/**
 * Divides the lines of a table into rows of cells.
 * @param attributes What the line in brackets above the table says.
 * @param mark The first character of the lines around the table.
 */
export function readTable(lines: readonly string[], attributes: string, mark: string): Table {
  const format = /\bformat\s*=\s*"?(csv|dsv|tsv)/.exec(attributes)?.[1] ?? { ',': 'csv', ':': 'dsv' }[mark]
  const own = /\bseparator\s*=\s*"?([^",\s\]])/.exec(attributes)?.[1]
  const isEmpty = (line: string | undefined): boolean => line === undefined || line.trim() === ''
  const first = lines.findIndex((line) => !isEmpty(line))
  const hasHeader =
    /%[\w%.-]*\bheader\b|\bopt(?:ion)?s\s*=\s*"?[^"\]]*\bheader\b/.test(attributes) ||
    (first === 0 && isEmpty(lines[1]) && !/%[\w%.-]*noheader|\bnoheader\b/.test(attributes))
  const columns = columnsOf(attributes)
  if (format !== undefined) {
    const separator = own ?? { csv: ',', dsv: ':', tsv: '\t' }[format]!
    return { rows: lines.filter((line) => !isEmpty(line)).map((line) => fieldsOf(line, separator)), hasHeader }
  }
  const separator = own ?? (mark === '!' ? '!' : '|')
  return { rows: rowsOf(lines, separator, columns), hasHeader: hasHeader && lines.length > 1 }
}

/** Returns the number of columns that `cols` gives; null if it gives none. */
function columnsOf(attributes: string): number | null {
  const cols = /\bcols\s*=\s*(?:"([^"]{1,2000})"|([^\s,\]]{1,100}))/.exec(attributes)
  const text = (cols?.[1] ?? cols?.[2] ?? '').trim()
  if (text === '') return null
  const count = /^\d{1,4}$/.test(text)
    ? Number(text)
    : text.split(/[,;]/).reduce((sum, one) => sum + Number(/^\s*(\d{1,4})\*/.exec(one)?.[1] ?? 1), 0)
  return Math.min(Math.max(count, 1), MAX_COLUMNS)
}

function fieldsOf(line: string, separator: string): string[] {
  const fields: string[] = []
  const lastQuote = line.lastIndexOf(`"${separator}`)
  for (let at = 0; at <= line.length;) {
    const quoted = line[at] === '"' && at < lastQuote ? line.indexOf(`"${separator}`, at + 1) : -1
    const end = quoted < 0 ? line.indexOf(separator, at) : quoted + 1
    fields.push(line.slice(at, end < 0 ? line.length : end).replace(/^\s*"(.*)"\s*$/, '$1'))
    if (end < 0) break
    at = end + 1
  }
  return fields
}

interface Cell {
  text: string
  columns: number
  rows: number
}

function rowsOf(lines: readonly string[], separator: string, given: number | null): string[][] {
  const cells: Cell[] = []
  let [left, inFirstLine] = [MAX_REPEATED, 0]
  let format = ''
  for (const line of lines) {
    const parts = partsOf(line, separator)
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1
      const spec = isLast ? null : CELL.exec(part)
      const text = spec === null ? part : part.slice(0, spec.index)
      if (index > 0) left -= addCell(cells, format, text, left)
      else if (cells.length > 0) cells.at(-1)!.text += `\n${text}`
      format = spec?.[0] ?? ''
    }
    if (inFirstLine === 0) inFirstLine = cells.reduce((sum, { columns }) => sum + columns, 0)
  }
  return arrange(cells, given ?? Math.min(Math.max(inFirstLine, 1), MAX_COLUMNS))
}

/** Divides a line at its separators. A backslash before one makes it text. */
function partsOf(line: string, separator: string): string[] {
  const escaped = separator.replace(/[$()*+./?[\\\]^{|}]/, String.raw`\$&`)
  const parts = line.split(new RegExp(`(?<!\\\\)${escaped}`))
  return parts.map((part) => part.replaceAll(`\\${separator}`, separator))
}

/** Adds a cell as many times as its format says. Returns how many additional cells that makes. */
function addCell(cells: Cell[], format: string, text: string, left: number): number {
  const [, times, columns, rows] = CELL.exec(format) ?? []
  const count = Math.min(Number(times ?? 1), left + 1)
  const width = Math.min(Math.max(Number(columns ?? 1), 1), left + 1, MAX_COLUMNS)
  const height = Math.min(Math.max(Number(rows ?? 1), 1), MAX_REPEATED)
  for (let added = 0; added < count; added++) cells.push({ text, columns: width, rows: height })
  return Math.max(count, 1) - 1 + width - 1
}

/** Puts cells into rows. Columns that a cell of a row above spans are empty. */
function arrange(cells: readonly Cell[], columns: number): string[][] {
  const rows: string[][] = []
  /** For each column, how many of the next rows a cell above spans. */
  const spanned = Array.from({ length: columns }, () => 0)
  let row: string[] = []
  const passSpanned = (): void => {
    for (; row.length < columns && spanned[row.length]! > 0; row.push('')) spanned[row.length]!--
  }
  for (const cell of cells) {
    passSpanned()
    if (row.length === columns) {
      rows.push(row)
      row = []
      passSpanned()
      // No room in the next row either.
      if (row.length === columns) {
        spanned.fill(0)
        row = []
      }
    }
    for (let column = 0; column < cell.columns && row.length < columns; column++) {
      spanned[row.length] = cell.rows - 1
      row.push(column === 0 ? cell.text : '')
    }
  }
  return row.length > 0 ? [...rows, row] : rows
}
