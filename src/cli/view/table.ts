import { joined, oneLine, safe } from './safe.ts'
import type { Styled } from './safe.ts'
import type { Style } from './style.ts'
import { padEnd, textWidth, truncate, truncatePath, wrapped } from './width.ts'

/** No column is cut below this width. */
const MIN_WIDTH = 8
const INDENT = '    '

export interface TableOptions {
  terminal: boolean
  width: number
  style: Style
}

/**
 * On a terminal: aligned columns with a header, cut to the terminal's width. The widest column is cut first, but never an ID, because users copy it.
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

function aligned(header: readonly string[], cells: readonly (readonly string[])[], options: TableOptions): Styled[] {
  const all = [header, ...cells]
  const widths = header.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  const gaps = 2 * (widths.length - 1)
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gaps) - options.width
    const given = widths.map((width, column) => (header[column] === 'ID' ? 0 : width))
    const widest = given.indexOf(Math.max(...given))
    if (excess <= 0 || given[widest]! <= MIN_WIDTH) break
    widths[widest] = Math.max(MIN_WIDTH, widths[widest]! - excess)
  }
  return all.map((row, number) => {
    const cut = (cell: string, column: number) => (header[column] === 'PATH' ? truncatePath : truncate)(cell, widths[column]!)
    const line = row
      .map((cell, column) => padEnd(cut(cell, column), widths[column]!))
      .join('  ')
      .trimEnd()
    return safe`${number === 0 ? options.style.dim(line) : line}\n`
  })
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
