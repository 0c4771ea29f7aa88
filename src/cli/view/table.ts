import { joined, oneLine, safe, type Styled } from './safe.ts'
import type { Style } from './style.ts'
import { padEnd, textWidth, truncate, truncatePath, wrapped } from './width.ts'
import { MIN_ID_SUFFIX } from '../../core/ids.ts'

/** No column is cut below this width, nor below its heading, unless nothing else makes the table fit. */
const MIN_WIDTH = 12
/** What a column is cut to when leaving out columns is not enough. */
const LAST_RESORT_WIDTH = 8
/** Cells without a value. A narrow terminal first leaves out a column that has only such cells. */
const EMPTY = new Set(['', '-'])
/** A path and an email address keep at least this share of the terminal, because users know documents and people by them. */
const NAMING_SHARE = 0.36
const NAMING = new Set(['PATH', 'EMAIL'])
/** Columns that are shown whole or not at all: half an ID or half a time is of no use. */
const WHOLE = new Set(['ID', 'KEY', 'TIME', 'CREATED', 'DELETED', 'EXPIRES', 'LAST LOGIN', 'LAST USED', 'SIZE'])
/** Columns that a narrow terminal leaves out, the least important first. */
const OPTIONAL = [
  'DETAILS',
  'CREDENTIAL',
  'ADDRESS',
  'REDIRECTS',
  'DIMENSIONS',
  'CREATED',
  'PAGES',
  'PENDING',
  'FAILED',
  'SCOPES',
  'KEY',
  'LAST LOGIN',
  'TYPE',
  'PROJECTS',
  'SIZE',
  'EXPIRES',
  'DOCUMENTS',
  'DELETED',
  'LAST USED',
  'PROJECT',
  'STATUS',
  'ROLE',
  'ID',
]
const INDENT = '    '

export interface TableOptions {
  terminal: boolean
  width: number
  style: Style
}

/**
 * On a terminal: aligned columns with a header, cut to the terminal's width. The column ID shows the end of each ID, long
 * enough to tell the IDs of the table apart. The widest column is cut first, but never an ID, because users copy it. When cutting is not enough, the table leaves out columns: those without a value, then the least important ones.
 * On a pipe: full cells with tabs between them and no header.
 */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): Styled {
  const cells = rows.map((row) => row.map(oneLine))
  if (!options.terminal) return joined(cells.map((row) => row.join('\t') + '\n'))
  return joined(aligned(header, cells, options))
}

/**
 * A table with sentences for each row. A terminal shows them wrapped below the row, each on its own line; a pipe gets them as the last column.
 */
export function formatReasons(
  header: readonly string[],
  rows: readonly { cells: readonly string[]; reasons: readonly string[] }[],
  options: TableOptions,
): Styled {
  if (!options.terminal) {
    const plain = rows.map(({ cells, reasons }) => [
      ...cells,
      reasons.length < 2 ? (reasons[0] ?? '') : reasons.map(sentence).join(' '),
    ])
    return formatTable(header, plain, options)
  }
  const [head = safe``, ...lines] = aligned(
    header,
    rows.map(({ cells }) => cells.map(oneLine)),
    options,
  )
  const below = (reason: string) =>
    wrapped(oneLine(reason), Math.max(20, options.width - INDENT.length)).map((line) => `${INDENT}${line}\n`)
  return joined([head, ...lines.flatMap((line, row) => [line, ...rows[row]!.reasons.flatMap(below)])])
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function aligned(header: readonly string[], full: readonly (readonly string[])[], options: TableOptions): Styled[] {
  const cells = withShortIds(header, full)
  const all = [header, ...cells]
  const columns = fittedColumns(header, cells, options.width)
  return all.map((row, number) => {
    const line = columns
      .map(({ index, width }) => {
        const cut = header[index] === 'PATH' ? truncatePath : truncate
        return padEnd(cut(row[index] ?? '', width), width)
      })
      .join('  ')
      .trimEnd()
    return safe`${number === 0 ? options.style.dim(line) : line}\n`
  })
}

function withShortIds(header: readonly string[], cells: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const column = header.indexOf('ID')
  if (column < 0) return cells
  const ids = shortIds(cells.map((row) => row[column] ?? ''))
  return cells.map((row, i) => row.with(column, ids[i]!))
}

interface Column {
  index: number
  name: string
  width: number
}

/** Returns the columns that a terminal of this width has room for, with their widths. */
function fittedColumns(header: readonly string[], cells: readonly (readonly string[])[], available: number): Column[] {
  let columns = header.map((name, index) => ({
    index,
    name,
    width: cells.reduce((width, row) => Math.max(width, textWidth(row[index] ?? '')), textWidth(name)),
  }))
  const minimumOf = ({ name }: Column) =>
    WHOLE.has(name) ? Infinity : Math.max(NAMING.has(name) ? Math.floor(available * NAMING_SHARE) : MIN_WIDTH, textWidth(name))
  const saysSomething = ({ index }: Column) => cells.some((row) => !EMPTY.has(row[index] ?? ''))
  if (cells.length > 0 && excessOf(columns, available) > 0) columns = columns.filter(saysSomething)
  for (const name of OPTIONAL) {
    const shrunk = shrink(columns, available, minimumOf)
    if (excessOf(shrunk, available) <= 0) return shrunk
    columns = columns.filter((column) => column.name !== name)
  }
  const shrunk = shrink(columns, available, ({ name }) => (WHOLE.has(name) ? Infinity : LAST_RESORT_WIDTH))
  return shrink(shrunk, available, () => 1)
}

/** Cuts the widest column again and again until the columns fit or none is above its minimum. */
function shrink(columns: readonly Column[], available: number, minimumOf: (column: Column) => number): Column[] {
  const shrunk = columns.map((column) => ({ ...column, width: Math.min(column.width, Math.max(minimumOf(column), available)) }))
  for (;;) {
    const [widest] = shrunk.filter((column) => column.width > minimumOf(column)).toSorted((a, b) => b.width - a.width)
    if (excessOf(shrunk, available) <= 0 || widest === undefined) return shrunk
    widest.width--
  }
}

function excessOf(columns: readonly Column[], available: number): number {
  return columns.reduce((sum, { width }) => sum + width, 2 * (columns.length - 1)) - available
}

/** One line for each name and value. Leaves out empty values. */
export function formatFields(fields: readonly (readonly [string, string | null | undefined])[], options: TableOptions): Styled {
  const shown = fields.filter(
    (field): field is readonly [string, string] => field[1] !== null && field[1] !== undefined && field[1] !== '',
  )
  if (!options.terminal) return joined(shown.map(([name, value]) => `${name}\t${oneLine(value)}\n`))
  const width = Math.max(...shown.map(([name]) => textWidth(name)))
  return joined(
    shown.map(([name, value]) => {
      // A value without spaces (an ID, a hash, a path) is not wrapped, because users copy it.
      const plain = oneLine(value)
      const lines = plain.includes(' ') ? wrapped(plain, Math.max(20, options.width - width - 2)) : [plain]
      return safe`${options.style.dim(padEnd(name, width))}  ${lines.join(`\n${' '.repeat(width + 2)}`)}\n`
    }),
  )
}

const ID = /^[a-z]{3}_[0-9a-z]{26}$/

/**
 * Returns the shortest end of each id that no other id in the list has, of at least six characters. Commands accept it in place of the
 * id. Texts that are not ids stay as they are.
 */
export function shortIds(ids: readonly string[]): string[] {
  // Ids with the same end are neighbours when the reversed ids are sorted.
  const sorted = [...new Set(ids.filter((id) => ID.test(id)))].map(reversed).toSorted()
  const lengths = new Map<string, number>()
  sorted.forEach((id, i) => {
    const common = Math.max(commonLength(id, sorted[i - 1]), commonLength(id, sorted[i + 1]))
    lengths.set(reversed(id), Math.max(MIN_ID_SUFFIX, common + 1))
  })
  return ids.map((id) => id.slice(-(lengths.get(id) ?? id.length)))
}

function reversed(id: string): string {
  return [...id].toReversed().join('')
}

function commonLength(a: string, b = ''): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}
